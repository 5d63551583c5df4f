package classify

import (
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

const day = 24 * time.Hour

// GitHub switches the scheduled workflows of a public repository off after 60
// days without activity (reference: events that trigger workflows, schedule). The
// warning comes two weeks before.
const (
	quietWarns = 45 * day
	quietEnds  = 60 * day
)

// quiet warns once of each repository whose active roles GitHub will switch off
// before long. What counts as activity GitHub does not say; a push does.
func (j *judge) quiet() {
	said := map[string]bool{}
	for _, o := range j.claims.objects {
		pushed, err := time.Parse(time.RFC3339, o.Attr("pushed_at"))
		repo := o.Attr("repo")
		if err != nil || o.role == "" || len(o.Inactive()) > 0 || said[o.Source()+" "+repo] || j.Now.Sub(pushed) < quietWarns {
			continue
		}
		said[o.Source()+" "+repo] = true
		end := pushed.Add(quietEnds)
		when := "which ends on " + end.Format(time.DateOnly)
		if !j.Now.Before(end) {
			when = "which ended on " + end.Format(time.DateOnly)
		}
		j.note("early-warning", o.Source(), fmt.Sprintf("%s was last pushed to on %s; GitHub switches the schedules of a public repository off after 60 days without activity, %s; a commit keeps them on", repo, pushed.Format(time.DateOnly), when), specs.Pos{})
	}
}
