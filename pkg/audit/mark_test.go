package audit

import (
	"context"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/providertest"
	"github.com/rolecall-dev/rolecall/specs"
)

// wanting wants other arguments than the object has.
type wanting struct{ *providertest.Looks }

func (wanting) Translate(specs.Statement) (specs.Desired, error) {
	return specs.Desired{Spec: withArgs("wanted-secret"), Never: true}, nil
}

func withArgs(secret string) specs.Spec {
	return specs.Spec{
		Schedules: []specs.Schedule{specs.Never()},
		Body:      specs.Pack(specs.NewMap(specs.Member{Key: "args", Value: specs.NewList(specs.NewText("--password"), specs.NewText(secret))})),
	}
}

// A text that only its neighbour gives away is masked on both sides, and what the
// provider keeps for itself is not changed.
func TestMark(t *testing.T) {
	seen := look("a")
	seen.Objects[0].Spec = withArgs("seen-secret")
	p := plan(seen)
	p.Ledger.Roles = p.Ledger.Roles[:1]
	p.Sources[0].Provider = wanting{&providertest.Looks{List: []providers.Observation{seen}}}
	p.Settle = 0
	p.Mark = func(v specs.Packed) specs.Packed {
		args := v.Get("args")
		if args.Empty() {
			return v
		}
		return specs.Pack(specs.NewMap(specs.Member{Key: "args", Value: specs.NewList(args.Members[0].Value, specs.NewSecret(args.Members[1].Value.Text))}))
	}
	r, _, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || len(r.Findings[0].Fields) != 1 {
		t.Fatalf("want one drifted field, got %+v", r.Findings)
	}
	f := r.Findings[0].Fields[0]
	if strings.Contains(f.Desired+f.Observed, "secret") || !f.Masked {
		t.Errorf("shown: %q and %q", f.Desired, f.Observed)
	}
	if seen.Objects[0].Spec.Body.Get("args").Members[1].Value.Secret {
		t.Error("the provider's own listing was changed")
	}
}
