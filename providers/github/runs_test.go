package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
)

// nightlyID is the registration of the scheduled workflow of shop.
const nightlyID = 6817859

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// with changes a run as the list has it.
func with(r object, more object) object {
	for k, v := range more {
		if v == nil {
			delete(r, k)
		} else {
			r[k] = v
		}
	}
	return r
}

// evidenceOf is what is said of the one object of shop with these runs.
func evidenceOf(t *testing.T, runs []object, change func(*fakeRepo)) providers.Evidence {
	t.Helper()
	m := shop()
	m.runs = runs
	if change != nil {
		change(m)
	}
	got := newFake(t, m).look(t, Config{Repos: []string{"acme/shop"}, Runs: true}, "")
	if len(got.Objects) != 1 || got.Objects[0].Runs() == nil {
		t.Fatalf("%+v", got.Objects)
	}
	return *got.Objects[0].Runs()
}

func TestRuns(t *testing.T) {
	const one, two, three = "2026-11-01T05:20:00Z", "2026-11-02T05:20:00Z", "2026-11-03T05:20:00Z"
	ok := run(nightlyID, "success", one, "2026-11-01T05:25:00Z")
	none := object{"conclusion": nil}
	for _, tt := range []struct {
		name           string
		runs           []object
		start, success string
		failed         string // what is said of it
		running        []string
		hint           string
	}{
		{"none", nil, "", "", "", nil, ""},
		{"of another event", []object{with(run(nightlyID, "success", one, one), object{"event": "workflow_dispatch"})}, "", "", "", nil, ""},
		{"of another workflow", []object{run(1, "success", one, one)}, "", "", "", nil, ""},
		{"a success", []object{ok}, one, "2026-11-01T05:25:00Z", "", nil, ""},
		{"one that failed since", []object{ok, run(nightlyID, "failure", two, two)}, two, "2026-11-01T05:25:00Z", "it failed", nil, ""},
		{"one that could not start", []object{ok, run(nightlyID, "startup_failure", two, two)}, two, "2026-11-01T05:25:00Z", "could not be started (startup_failure)", nil, ""},
		{"timed out", []object{run(nightlyID, "timed_out", two, two)}, two, "", "timed out", nil, ""},
		{"cancelled", []object{run(nightlyID, "cancelled", two, two)}, two, "", "cancelled", nil, ""},
		{"skipped", []object{run(nightlyID, "skipped", two, two)}, two, "", "skipped", nil, ""},
		{"a conclusion to come", []object{run(nightlyID, "\x1bodd", two, two)}, two, "", "conclusion as \x1bodd", nil, ""},
		{"no conclusion", []object{with(run(nightlyID, "", two, two), none)}, two, "", "conclusion as none", nil, ""},
		{"under way", []object{ok, with(run(nightlyID, "", two, two), object{"status": "in_progress", "conclusion": nil, "id": 7})}, two, "2026-11-01T05:25:00Z", "", []string{"7 " + two}, ""},
		{"waits for a runner", []object{with(run(nightlyID, "", two, two), object{"status": "queued", "conclusion": nil, "id": 7})}, two, "", "", []string{"7 " + two}, "run 7 is queued: it waits for a runner"},
		{"two, the oldest first", []object{
			with(run(nightlyID, "", three, three), object{"status": "pending", "conclusion": nil, "id": 8}),
			with(run(nightlyID, "", two, two), object{"status": "in_progress", "conclusion": nil, "id": 7})}, three, "", "", []string{"7 " + two, "8 " + three}, "concurrency group"},
		{"run again by hand: the schedule fired when the run was made", []object{
			with(run(nightlyID, "success", one, three), object{"run_started_at": three, "run_attempt": 2})}, one, three, "", nil, ""},
		{"without the later fields", []object{with(run(nightlyID, "success", one, two), object{"run_started_at": nil, "updated_at": nil})}, one, one, "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := evidenceOf(t, tt.runs, nil)
			want := func(text string) (out time.Time) {
				if text != "" {
					out = at(text)
				}
				return out
			}
			if got.Executed.State != providers.Known || got.Succeeded.State != providers.Known ||
				!got.Executed.Last.Equal(want(tt.start)) || !got.Succeeded.Last.Equal(want(tt.success)) {
				t.Errorf("executed %+v, succeeded %+v", got.Executed, got.Succeeded)
			}
			failed := ""
			if got.Failed != nil {
				failed = got.Failed.Why
			}
			if tt.failed == "" && failed != "" || !strings.Contains(failed, tt.failed) {
				t.Errorf("failed %q, want %q", failed, tt.failed)
			}
			var running []string
			for _, r := range got.Running {
				running = append(running, r.ID+" "+stamp(r.Start))
			}
			if d := cmp.Diff(tt.running, running); d != "" {
				t.Error(d)
			}
			if !strings.Contains(strings.Join(got.Hints, "\n"), tt.hint) || tt.hint != "" && len(got.Hints) == 0 {
				t.Errorf("hints %q", got.Hints)
			}
			if want := at("2021-03-17T09:33:32Z"); !got.Since.Equal(want) {
				t.Errorf("since %v, want that of the registration", got.Since)
			}
		})
	}
}

// A busy workflow must not hide how another one of its repository fares: what
// the latest runs do not hold is asked for, and no more than that.
func TestRunsBehindThoseOfABusyWorkflow(t *testing.T) {
	const start, end = "2026-10-01T05:20:00Z", "2026-10-01T05:30:00Z"
	var busy []object
	for i := range runsPage {
		busy = append(busy, run(1, "success", fmt.Sprintf("2026-11-01T%02d:%02d:00Z", i/60, i%60), "2026-11-01T02:00:00Z"))
	}
	var weeks []object
	for i := range ownRuns + 3 {
		weeks = append(weeks, run(nightlyID, "failure", fmt.Sprintf("2026-10-%02dT05:20:00Z", i+2), fmt.Sprintf("2026-10-%02dT05:30:00Z", i+2)))
	}
	ok := run(nightlyID, "success", start, end)
	late := run(nightlyID, "failure", "2026-11-02T05:20:00Z", "2026-11-02T05:30:00Z")
	list := fmt.Sprintf("GET /repos/acme/shop/actions/workflows/%d/runs?event=schedule&exclude_pull_requests=true&per_page=", nightlyID)
	few, good := list+"5", list+"1&status=success"
	for _, tt := range []struct {
		name           string
		runs           []object
		asked          []string
		start, success string
	}{
		{"all are seen", append([]object{ok}, busy[1:]...), nil, start, end},
		{"one behind", append([]object{ok}, busy...), []string{few}, start, end},
		{"none of its own", busy, nil, "", ""},
		{"none of its own behind more", append([]object{run(1, "success", start, end)}, busy...), []string{few}, "", ""},
		{"its success lies behind its failures", append(append([]object{ok}, weeks...), busy...), []string{few, good}, "2026-10-09T05:20:00Z", end},
		{"a failure among the latest", append([]object{ok, late}, busy...), []string{good}, "2026-11-02T05:20:00Z", end},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := shop()
			m.runs = tt.runs
			f := newFake(t, m)
			got := f.look(t, Config{Repos: []string{"acme/shop"}, Runs: true}, "").Objects[0].Runs()
			var asked []string
			for _, r := range f.asked() {
				if strings.Contains(r, "/actions/workflows/") {
					asked = append(asked, r)
				}
			}
			if d := cmp.Diff(sorted(tt.asked), sorted(asked)); d != "" {
				t.Error(d)
			}
			stampOf := func(at time.Time) string {
				if at.IsZero() {
					return ""
				}
				return stamp(at)
			}
			if stampOf(got.Executed.Last) != tt.start || stampOf(got.Succeeded.Last) != tt.success {
				t.Errorf("executed %v, succeeded %v", got.Executed.Last, got.Succeeded.Last)
			}
		})
	}
}

// What is asked for one by one and fails is unknown, and takes nothing else.
func TestOwnRunsUnreadable(t *testing.T) {
	var busy []object
	for range runsPage {
		busy = append(busy, run(1, "success", "2026-11-01T05:20:00Z", "2026-11-01T05:20:00Z"))
	}
	for _, tt := range []struct {
		query               string
		executed, succeeded providers.TraceState
	}{{"per_page=5", providers.Unreadable, providers.Unreadable}, {"status=success", providers.Known, providers.Unreadable}} {
		m := shop()
		m.runs = append(busy, run(nightlyID, "failure", "2026-10-01T05:20:00Z", "2026-10-01T05:30:00Z"))
		for range ownRuns {
			m.runs = append(m.runs, run(nightlyID, "failure", "2026-10-01T05:20:00Z", "2026-10-01T05:30:00Z"))
		}
		f := newFake(t, m)
		f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/actions/workflows/") && strings.Contains(r.URL.RawQuery, tt.query) {
				say(500, "", "{}")(w, r)
				return true
			}
			return false
		}
		got := f.look(t, Config{Repos: []string{"acme/shop"}, Runs: true}, "")
		e := got.Objects[0].Runs()
		if e.Executed.State != tt.executed || e.Succeeded.State != tt.succeeded || !strings.Contains(e.Succeeded.Reason, "GitHub failed (500)") || len(got.Gaps()) > 0 {
			t.Errorf("%s: %+v, %v", tt.query, e, areas(got))
		}
	}
}

// More workflows than are asked for one by one are unknown, not never run.
func TestTooManyWorkflowsToAskFor(t *testing.T) {
	m := &fakeRepo{name: "acme/shop", files: map[string]string{}}
	for i := range mostOwn + 2 {
		name := fmt.Sprintf("w%02d.yml", i)
		m.files[name] = scheduled(fmt.Sprintf("w%02d", i))
		m.workflows = append(m.workflows, fakeWorkflow{int64(i + 100), folder + "/" + name, "active"})
	}
	for range runsPage + 1 {
		m.runs = append(m.runs, run(1, "success", "2026-11-01T05:20:00Z", "2026-11-01T05:20:00Z"))
	}
	got := newFake(t, m).look(t, Config{Repos: []string{"acme/shop"}, Runs: true}, "")
	count := map[providers.TraceState]int{}
	for _, o := range got.Objects {
		count[o.Runs().Executed.State]++
	}
	if d := cmp.Diff(map[providers.TraceState]int{providers.Known: mostOwn, providers.Unreadable: 2}, count); d != "" {
		t.Error(d)
	}
}

const twoEntries = "on:\n  schedule:\n    # rolecall: role=hourly\n    - cron: 17 * * * *\n    # rolecall: role=weekly\n    - cron: 23 4 * * 1\njobs: {a: {runs-on: u, steps: [{run: x}]}}\n"

// A run does not say which entry it is for: each gets them all, and a note says
// that they cannot be told apart.
func TestRunsOfSeveralEntries(t *testing.T) {
	m := shop()
	m.files["nightly.yml"] = twoEntries
	got := newFake(t, m).look(t, Config{Repos: []string{"acme/shop"}, Runs: true, Permissions: true}, "")
	if len(got.Objects) != 2 || got.Objects[0].Runs() == nil || got.Objects[1].Runs() == nil || got.Objects[0].Runs() == got.Objects[1].Runs() {
		t.Fatalf("%+v", got.Objects)
	}
	if len(got.Notes) != 1 || got.Notes[0].Code != "not-checked" || !strings.Contains(got.Notes[0].Message, "does not say which of the entries of .github/workflows/nightly.yml") {
		t.Error(got.Notes)
	}
}

// What was changed about the registration after the last run is said: GitHub
// does not tell whether it was switched on just now.
func TestRegistrationChangedSince(t *testing.T) {
	runs := []object{run(nightlyID, "success", "2022-05-01T05:20:00Z", "2022-05-01T05:25:00Z")}
	got := evidenceOf(t, runs, nil)
	if len(got.Hints) != 1 || !strings.Contains(got.Hints[0], "registration of the workflow last at 2022-05-12T12:42:08Z") {
		t.Error(got.Hints)
	}
}

// A workflow that GitHub does not know has no runs to ask for.
func TestRunsOfAnUnregisteredWorkflow(t *testing.T) {
	got := evidenceOf(t, nil, func(m *fakeRepo) { m.workflows = nil })
	if got.Executed.State != providers.Unreadable || !strings.Contains(got.Executed.Reason, "not registered") {
		t.Errorf("%+v", got)
	}
	m := shop()
	m.workflows, m.fork = nil, true
	if o := newFake(t, m).look(t, Config{Repos: []string{"acme/shop"}, Runs: true}, "").Objects[0]; o.Runs() != nil || len(o.Inactive()) != 1 {
		t.Errorf("in a fork: %+v", o)
	}
}
