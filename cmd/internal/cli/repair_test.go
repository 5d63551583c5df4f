package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/repair"
	"github.com/rolecall-dev/rolecall/specs"
)

// Only yes and y are a yes; everything else ends like help says, with 2.
func TestAgreed(t *testing.T) {
	for answer, yes := range map[string]bool{"yes\n": true, "y\n": true, " Y \n": true, "YES": true, "": false, "\n": false, "no\n": false, "yep\n": false, "yes please\n": false} {
		var asked bytes.Buffer
		a := &app{Streams: Streams{In: strings.NewReader(answer), Err: &asked}}
		m := &mending{app: a, made: repair.Plan{Rows: []repair.Row{{Action: repair.Create, Finding: "missing:retry@web"}}}}
		err := m.agreed()
		if (err == nil) != yes || err != nil && codeOf(context.Background(), err) != exitUsage {
			t.Errorf("%q: %v", answer, err)
		}
		if !strings.Contains(asked.String(), "Create 1 object? Write yes or y") {
			t.Errorf("%q", asked.String())
		}
	}
	a := &app{Streams: Streams{In: strings.NewReader(""), Err: new(bytes.Buffer)}}
	if err := (&mending{app: a, flags: repairFlags{yes: true}}).agreed(); err != nil {
		t.Errorf("--yes: %v", err)
	}
}

// The last line counts what was created, also where it is not as it should be.
func TestVerdict(t *testing.T) {
	row := func(r repair.Result) repair.Row {
		return repair.Row{Action: repair.Create, Outcome: &repair.Outcome{Result: r}}
	}
	for want, rows := range map[string][]repair.Row{
		"1 of 1 created": {row(repair.Done)},
		"1 of 1 created, 1 of them not as the ledger states it":                         {row(repair.Unverified)},
		"3 of 4 created, 1 of them not as the ledger states it, 1 of them not seen yet": {row(repair.Unverified), row(repair.Unseen), row(repair.Done), row(repair.Refused)},
		"0 of 2 created, 1 there by then, 1 of which nothing is known":                  {row(repair.Existed), row(repair.Unknown)},
		"1 to create (nothing was written; carry it out with --apply), 1 not repaired":  {{Action: repair.Create}, {Action: repair.Refuse}},
		"nothing to create, 1 to propose by hand":                                       {{Action: repair.ByHand}},
	} {
		if got := (&mending{made: repair.Plan{Rows: rows}}).verdict(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A value that a template has at a place of secrets is masked in every message.
func TestMessagesAreMasked(t *testing.T) {
	body := specs.NewMap(
		specs.Member{Key: "env", Value: specs.NewMap(specs.Member{Key: "DSN", Value: specs.NewSecret("open-sesame-4711")}, specs.Member{Key: "AT", Value: specs.NewSecret("batch")}, specs.Member{Key: "OUT", Value: specs.NewSecret("/srv/out-2026")})},
	)
	m := &mending{secrets: secretsOf(map[specs.Ref]specs.Desired{{Role: "retry"}: {Spec: specs.Spec{Body: specs.Pack(body)}}})}
	const said = `env[0].value: Invalid value: "open-sesame-4711"; look at namespace batch and /srv/out-2026`
	if got, want := m.mask(said), strings.Replace(said, "open-sesame-4711", redact.Mask, 1); got != want {
		t.Errorf("%s", got)
	}
}
