package github

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

const (
	fromRuns = "runs of the event schedule"
	// runsPage is how many runs of a repository are asked for at once, the most
	// that GitHub gives.
	runsPage = 100
	// ownRuns is how many of a single workflow's runs are asked for, where it has
	// none among those of the repository.
	ownRuns = 5
	// mostOwn bounds for how many workflows of a repository that is done.
	mostOwn = 40
)

// history is what is known of the scheduled runs of one workflow.
type history struct {
	start, success time.Time
	running        []providers.Running
	failed         *providers.Failure
	hints          []string
	seen           bool   // there is a run
	unread         string // why the runs could not be read
	unreadSuccess  string // why the last success could not
}

// runs joins the objects with the runs of the event schedule: one page of the
// latest of the repository, and for a workflow of which that does not hold the
// last success although there are more runs, a request or two of its own.
func (r *repository) runs(registered map[string]*gh.Workflow) {
	page, total, err := r.latestRuns()
	if err != nil {
		r.unreadable("the scheduled runs: " + r.explain(err).reason)
		return
	}
	asked := 0
	for _, name := range r.workflows() {
		w := registered[name]
		if w == nil && r.meta.GetFork() { // switched off there, and said so
			continue
		}
		if w == nil {
			r.unreadableOf(name, "GitHub has not registered the workflow, so that there is nothing to ask for the runs of; look at the repository's Actions tab: the file is new, or GitHub could not read it")
			continue
		}
		h := &history{}
		h.take(page, w.GetID())
		if total > len(page) && h.success.IsZero() {
			if asked++; asked > mostOwn {
				r.unreadableOf(name, fmt.Sprintf("the repository's latest %d runs of the event schedule hold none of the workflow that succeeded, as with %d workflows more, and no more are asked for one by one; make a source of fewer workflows, or name a place of evidence in the ledger", len(page), mostOwn))
				continue
			}
			r.dig(h, w.GetID())
		}
		r.testify(name, h.evidence(w))
	}
}

// latestRuns are the repository's latest runs of the event schedule, and how
// many there are in all.
func (r *repository) latestRuns() ([]*gh.WorkflowRun, int, error) {
	return r.askRuns(func(ctx context.Context) (*gh.WorkflowRuns, *gh.Response, error) {
		return r.client.Actions.ListRepositoryWorkflowRuns(ctx, r.owner, r.name, &gh.ListWorkflowRunsOptions{
			Event: "schedule", ExcludePullRequests: true, ListOptions: gh.ListOptions{PerPage: runsPage}})
	})
}

// runsOf are a workflow's latest runs of the event schedule, or those of them
// that have ended so.
func (r *repository) runsOf(id int64, status string, n int) ([]*gh.WorkflowRun, int, error) {
	return r.askRuns(func(ctx context.Context) (*gh.WorkflowRuns, *gh.Response, error) {
		return r.client.Actions.ListWorkflowRunsByID(ctx, r.owner, r.name, id, &gh.ListWorkflowRunsOptions{
			Event: "schedule", Status: status, ExcludePullRequests: true, ListOptions: gh.ListOptions{PerPage: n}})
	})
}

func (r *repository) askRuns(list func(context.Context) (*gh.WorkflowRuns, *gh.Response, error)) ([]*gh.WorkflowRun, int, error) {
	var runs *gh.WorkflowRuns
	_, err := r.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		runs, resp, err = list(ctx)
		if err == nil && (runs == nil || runs.TotalCount == nil || runs.WorkflowRuns == nil) {
			err = emptyAnswer("list of runs")
		}
		return resp, err
	})
	if err != nil {
		return nil, 0, err
	}
	return runs.WorkflowRuns, runs.GetTotalCount(), nil
}

// dig asks for the runs of one workflow, of which the repository's latest hold
// none, or none that succeeded.
func (r *repository) dig(h *history, id int64) {
	if !h.seen {
		own, total, err := r.runsOf(id, "", ownRuns)
		if err != nil {
			h.unread = "the workflow's scheduled runs: " + r.explain(err).reason
			return
		}
		h.take(own, id)
		if !h.success.IsZero() || total <= len(own) {
			return
		}
	}
	good, _, err := r.runsOf(id, "success", 1)
	if err != nil {
		h.unreadSuccess = "the workflow's last success: " + r.explain(err).reason
		return
	}
	h.take(good, id)
}

// take adds runs of a workflow. When the schedule fired is when the run was
// made; run_started_at is of its last attempt, which someone may have asked for
// much later.
func (h *history) take(runs []*gh.WorkflowRun, id int64) {
	for _, run := range runs {
		if run.GetWorkflowID() != id || run.GetEvent() != "schedule" {
			continue
		}
		h.seen = true
		begun := firstTime(run.GetRunStartedAt().Time, run.GetCreatedAt().Time)
		if made := firstTime(run.GetCreatedAt().Time, begun); made.After(h.start) {
			h.start = made
		}
		end := firstTime(run.GetUpdatedAt().Time, begun)
		switch name := strconv.FormatInt(run.GetID(), 10); {
		case run.GetConclusion() == "" && run.GetStatus() != "completed":
			h.running = append(h.running, providers.Running{ID: name, Start: begun})
			h.wait(name, run.GetStatus())
		case run.GetConclusion() == "success":
			h.success = laterOf(h.success, end)
		case h.failed == nil || end.After(h.failed.At):
			h.failed = &providers.Failure{ID: name, At: end, Why: whyNot(run.GetConclusion())}
		}
	}
}

// waiting says what a run that has not begun to work waits for, by its status
// (REST reference, workflow runs).
var waiting = map[string]string{
	"queued":    "for a runner",
	"pending":   "for another run of its concurrency group",
	"waiting":   "for the rules of an environment, as someone's approval",
	"requested": "for GitHub to queue it",
}

func (h *history) wait(run, status string) {
	if what := waiting[status]; what != "" {
		h.hints = append(h.hints, "run "+run+" is "+status+": it waits "+what)
	}
}

// conclusions says what GitHub's words for the end of a run mean. A start that
// failed is a start: the schedule fired.
var conclusions = map[string]string{
	"failure":         "it failed",
	"startup_failure": "it could not be started (startup_failure): GitHub refuses the workflow file, or whoever changed the schedule last may not run it any more",
	"timed_out":       "it timed out",
	"cancelled":       "it was cancelled: by someone, by a newer run of its concurrency group, or since no runner came",
	"skipped":         "it was skipped: the conditions of its jobs did not hold",
	"action_required": "it needs someone's approval",
	"stale":           "GitHub gave it up since it did not come to an end",
}

func whyNot(conclusion string) string {
	if why := conclusions[conclusion]; why != "" {
		return why
	}
	return "GitHub gives its conclusion as " + cmp.Or(short(conclusion), "none")
}

// evidence is the history in the terms of all schedulers. A run would show from
// when on the workflow was registered.
func (h *history) evidence(w *gh.Workflow) *providers.Evidence {
	if h.unread != "" {
		return unreadableRuns(h.unread)
	}
	e := &providers.Evidence{
		Executed:  providers.Trace{State: providers.Known, Last: h.start, From: fromRuns},
		Succeeded: providers.Trace{State: providers.Known, Last: h.success, From: fromRuns},
		Since:     w.GetCreatedAt().UTC(),
		Running:   h.running,
		Failed:    h.failed,
		Hints:     h.hints,
	}
	if h.unreadSuccess != "" {
		e.Succeeded = providers.Trace{State: providers.Unreadable, From: fromRuns, Reason: h.unreadSuccess}
	}
	arrange.By(e.Running, func(a, b providers.Running) int { return a.Start.Compare(b.Start) })
	if at := w.GetUpdatedAt().UTC(); at.After(e.Since) && at.After(h.start) {
		e.Hints = append(e.Hints, "GitHub changed its registration of the workflow last at "+stamp(at)+", after the last scheduled run: it was switched on or off, or renamed, then")
	}
	return e
}

func unreadableRuns(why string) *providers.Evidence {
	t := providers.Trace{State: providers.Unreadable, From: fromRuns, Reason: why}
	return &providers.Evidence{Executed: t, Succeeded: t}
}

// workflows are the files that the objects are of.
func (r *repository) workflows() []string {
	var out []string
	for _, o := range r.out.objects {
		if name := o.Attr("workflow"); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// testify gives each object of a workflow what is known of its runs. A run does
// not say which of the schedules it is for, and where that keeps roles from
// being judged apart it is noted.
func (r *repository) testify(name string, e *providers.Evidence) {
	n := 0
	for i := range r.out.objects {
		o := &r.out.objects[i]
		if o.Attr("workflow") != name {
			continue
		}
		own := *e
		own.Running, own.Hints = slices.Clone(e.Running), slices.Clone(e.Hints)
		o.Extra().Runs = &own
		if !slices.ContainsFunc(o.Inactive(), func(in providers.Inactive) bool { return in.Code == "commented-out" }) {
			n++
		}
	}
	if n > 1 && e.Executed.State == providers.Known {
		r.note("not-checked", fmt.Sprintf("GitHub does not say which of the entries of %s in %s a run is for, so that one which never fires is hidden by the others; give each role a workflow of its own to have its runs judged apart", name, r.target.name))
	}
}

func (r *repository) unreadableOf(name, why string) { r.testify(name, unreadableRuns(why)) }

// unreadable says of all objects that their runs could not be read. That is no
// gap of the repository: the objects were all seen.
func (r *repository) unreadable(why string) {
	for _, name := range r.workflows() {
		r.unreadableOf(name, why)
	}
}

// asksRuns says that evidence is wanted of this repository.
func (r *repository) asksRuns() bool { return r.target.meta != nil || r.cfg.Runs }

func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() && t.Unix() != 0 {
			return t.UTC()
		}
	}
	return time.Time{}
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// runID is the number of a run in evidence.
func runID(id string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64)
	return n, err == nil && n > 0
}
