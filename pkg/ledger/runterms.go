package ledger

import (
	"path"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

type runForm struct {
	strict.Place
	OnInterrupted strict.Text  `strict:"on_interrupted,enum=retry|clean-then-retry|readback|hold"`
	External      strict.Bool  `strict:"external_effects"`
	Outputs       []outputForm `strict:"outputs"`
	Check         strict.Words `strict:"check"`
	Cleanup       strict.Words `strict:"cleanup"`
	Readback      strict.Words `strict:"readback"`
	Staging       strict.Text  `strict:"staging"`
	Overlap       strict.Text  `strict:"overlap,enum=skip|wait|kill-orphans"`
	Capture       strict.Text  `strict:"capture,enum=tee|file|none"`
	Sweep         strict.Bool  `strict:"sweep"`
	Grace         strict.Text  `strict:"grace"`
	CommitTimeout strict.Text  `strict:"commit_timeout"`
	KillAfter     strict.Text  `strict:"kill_after"`
	MaxRuntime    strict.Text  `strict:"max_runtime"`
	Ping          pingForm     `strict:"ping"`
}

// pingForm names the variable that holds an address, since the address itself is
// a secret: who has it can say that all is well.
type pingForm struct {
	strict.Place
	Env strict.Text `strict:"env,required"`
}

type outputForm struct {
	strict.Place
	From strict.Text `strict:"from,required"`
	To   strict.Text `strict:"to,required"`
}

func (b *builder) runTerms(role string, f *runForm) specs.RunTerms {
	if !f.Place.Stated() {
		return specs.RunTerms{}
	}
	t := specs.RunTerms{
		Pos: f.Pos, OnInterrupted: f.OnInterrupted.Value, ExternalEffects: f.External.Value,
		Check: argv(f.Check), Cleanup: argv(f.Cleanup), Readback: argv(f.Readback),
		Staging: f.Staging.Value, Overlap: f.Overlap.Value, Capture: f.Capture.Value, Sweep: f.Sweep.Value,
		Grace:         b.duration(role, "run.grace", f.Grace, 0),
		CommitTimeout: b.duration(role, "run.commit_timeout", f.CommitTimeout, 1),
		KillAfter:     b.duration(role, "run.kill_after", f.KillAfter, 1),
		MaxRuntime:    b.duration(role, "run.max_runtime", f.MaxRuntime, 1),
		PingEnv:       f.Ping.Env.Value,
	}
	if env := f.Ping.Env; env.Value != "" && !variableForm().MatchString(env.Value) {
		b.errs.Add(env.Pos, "run.ping.env of role %s is no name of an environment variable; it is one like BACKUP_PING_URL, and the address itself stays out of the ledger", role)
	}
	if f.Staging.Stated() && !cleanAbsolute(f.Staging.Value) {
		b.errs.Add(f.Staging.Pos, "run.staging of role %s is %s and must be an absolute, clean path", role, strict.Quote(f.Staging.Value))
	}
	if t.OnInterrupted == "readback" && !f.Has("readback") {
		b.errs.Add(f.OnInterrupted.Pos, "run.on_interrupted of role %s is readback, and no readback command is named", role)
	}
	b.outputs(&t, role, f.Outputs)
	return t
}

func (b *builder) outputs(t *specs.RunTerms, role string, list []outputForm) {
	seen := map[string]bool{}
	for _, o := range list {
		if o.From.Stated() && !below(o.From.Value) {
			b.errs.Add(o.From.Pos, "run.outputs of role %s: from is %s and must be a clean path below the staging folder", role, strict.Quote(o.From.Value))
		}
		if o.To.Stated() && !cleanAbsolute(o.To.Value) {
			b.errs.Add(o.To.Pos, "run.outputs of role %s: to is %s and must be an absolute, clean path", role, strict.Quote(o.To.Value))
		}
		for _, end := range []strict.Text{o.From, o.To} {
			if end.Stated() && seen[end.Value] {
				b.errs.Add(end.Pos, "run.outputs of role %s name %s twice", role, strict.Quote(end.Value))
			}
			seen[end.Value] = true
		}
		t.Outputs = append(t.Outputs, specs.RunOutput{From: o.From.Value, To: o.To.Value})
	}
}

// argv is a command as the arguments of a process.
func argv(w strict.Words) []string {
	var out []string
	if w.Shell {
		out = []string{"/bin/sh", "-c"}
	}
	for _, it := range w.Items {
		out = append(out, it.Value)
	}
	return out
}

func below(p string) bool {
	return p != "" && !path.IsAbs(p) && path.Clean(p) == p && p != "." && p != ".." && !strings.HasPrefix(p, "../")
}

func cleanAbsolute(p string) bool { return path.IsAbs(p) && path.Clean(p) == p && p != "/" }

var durationForm = lazy.Expression(`^([0-9]{1,6}(h|m|s|ms))+$`)

var variableForm = lazy.Expression(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// duration reads a span like 90s or 1h30m of at least min; name is the field's, as
// run.grace.
func (b *builder) duration(role, name string, f strict.Text, min time.Duration) *time.Duration {
	if !f.Stated() {
		return nil
	}
	d, err := time.ParseDuration(f.Value)
	if err != nil || !durationForm().MatchString(f.Value) {
		b.errs.Add(f.Pos, "%s of role %s is %s, and a time is written like 90s, 10m or 1h30m", name, role, strict.Quote(f.Value))
		return nil
	}
	if d < min {
		b.errs.Add(f.Pos, "%s of role %s must be more than nothing", name, role)
	}
	return &d
}
