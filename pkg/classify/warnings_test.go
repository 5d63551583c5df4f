package classify

import (
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
)

// A quiet public repository is warned of two weeks before GitHub switches its
// schedules off, once, and never where it is off anyway or plays no role.
func TestQuietRepository(t *testing.T) {
	at := func(days int) string { return noon.AddDate(0, 0, -days).Format(time.RFC3339) }
	for _, tt := range []struct {
		name   string
		change func(*providers.Object)
		want   string
	}{
		{"not yet", func(o *providers.Object) { o.SetAttr("pushed_at", at(44)) }, ""},
		{"soon", func(o *providers.Object) { o.SetAttr("pushed_at", at(45)) }, "which ends on " + noon.AddDate(0, 0, 15).Format(time.DateOnly)},
		{"over", func(o *providers.Object) { o.SetAttr("pushed_at", at(60)) }, "which ended on " + noon.Format(time.DateOnly)},
		{"not known", func(o *providers.Object) {}, ""},
		{"no date", func(o *providers.Object) { o.SetAttr("pushed_at", "x") }, ""},
		{"off", func(o *providers.Object) {
			o.SetAttr("pushed_at", at(99))
			o.Extra().Inactive = []providers.Inactive{{Code: "disabled_manually"}}
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for _, role := range []string{"a", "b"} {
				if role == "b" {
					w.role("b", "one")
				}
				o := w.object("one", role, "0 1 * * *", role)
				o.SetAttr("repo", "acme/shop")
				tt.change(o)
			}
			w.object("one", "", "5 5 * * *", "x").SetAttr("pushed_at", at(99))
			var got []string
			for _, n := range w.judge().Notes {
				if n.Code == "early-warning" {
					got = append(got, n.Message)
				}
			}
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want) || !strings.HasPrefix(got[0], "acme/shop was last pushed to on ")) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
