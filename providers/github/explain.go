package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
)

// mostJobs bounds how many jobs of a run are spoken of.
const mostJobs = 3

// Explain says why the scheduled runs of a workflow do not come, do not end or do
// not succeed: who changed its schedule last and whether GitHub still runs it for
// that account, what kind of repository it is in, and what the jobs of the last
// run that failed, or of the oldest that is under way, say. It takes six requests
// at most; what may not be seen is a sentence.
func (p *Provider) Explain(ctx context.Context, o providers.Object) []string {
	q := &inquiry{asker: asker{ctx: ctx, client: p.client, gate: &gate{}}, object: o, path: o.Attr("workflow")}
	var ok bool
	if q.owner, q.name, ok = strings.Cut(o.Attr("repo"), "/"); !ok {
		return nil
	}
	if o.Runs() != nil {
		q.runs = *o.Runs()
	}
	repo := q.repository()
	if c, ok := q.lastChange(); ok {
		q.ofChange(c)
		q.ofActor(c, repo)
	}
	if !q.startCame() && len(topOfHour([]providers.Object{o})) > 0 {
		q.say("it is due at minute 0, when GitHub's load is highest and it starts runs late or leaves some out; another minute is safer")
	}
	q.ofJobs()
	return q.says
}

// inquiry is what is found out about one workflow.
type inquiry struct {
	asker
	object            providers.Object
	runs              providers.Evidence
	owner, name, path string
	says              []string
}

func (q *inquiry) say(format string, args ...any) {
	q.says = append(q.says, fmt.Sprintf(format, args...))
}

// unseen says what could not be asked.
func (q *inquiry) unseen(what string, err error) {
	q.say("%s is not known: %s", what, q.explain(err).reason)
}

// startCame says that the last thing known of the runs is one that was started:
// it is under way or ended badly.
func (q *inquiry) startCame() bool {
	return len(q.runs.Running) > 0 || q.runs.Failed != nil && !q.runs.Failed.At.Before(q.runs.Executed.Last)
}

// repository asks what kind of repository it is; nil if it cannot be seen.
func (q *inquiry) repository() *gh.Repository {
	var repo *gh.Repository
	_, err := q.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		repo, resp, err = q.client.Repositories.Get(ctx, q.owner, q.name)
		return resp, err
	})
	if err != nil {
		q.unseen("the kind of its repository", err)
		return nil
	}
	if repo.GetFork() {
		q.say("%s/%s is a fork, in which GitHub leaves schedules off until someone switches them on in its Actions tab", q.owner, q.name)
	}
	if branch := repo.GetDefaultBranch(); branch != "" && q.runs.Executed.Last.IsZero() {
		q.say("its schedule counts as it stands on the default branch, %s, alone", short(branch))
	}
	return repo
}

// commit is who changed the schedule, or the file, and when.
type commit struct {
	sha, login, name string
	at               time.Time
	schedule         bool // it touched the line of a cron, and not only the file
}

// blameQuery finds the commits of the lines of a file on the default branch.
const blameQuery = `query($owner: String!, $name: String!, $path: String!) {
  repository(owner: $owner, name: $name) { object(expression: "HEAD") { ... on Commit { blame(path: $path) {
    ranges { startingLine endingLine commit { oid committedDate author { name user { login } } } } } } } } }`

type blame struct {
	Repository struct {
		Object struct {
			Blame struct {
				Ranges []blamed `json:"ranges"`
			} `json:"blame"`
		} `json:"object"`
	} `json:"repository"`
}

type blamed struct {
	StartingLine, EndingLine int
	Commit                   struct {
		OID           string    `json:"oid"`
		CommittedDate time.Time `json:"committedDate"`
		Author        struct {
			Name string `json:"name"`
			User *struct {
				Login string `json:"login"`
			} `json:"user"`
		} `json:"author"`
	} `json:"commit"`
}

// lastChange is the last commit to a cron line of the object, where the server
// has GraphQL for this token, and else the last one to its file.
func (q *inquiry) lastChange() (commit, bool) {
	var b blame
	if _, err := q.graphql(blameQuery, map[string]any{"owner": q.owner, "name": q.name, "path": q.path}, &b); err == nil {
		if c, ok := q.ofLines(b.Repository.Object.Blame.Ranges); ok {
			return c, true
		}
	}
	var commits []*gh.RepositoryCommit
	_, err := q.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		commits, resp, err = q.client.Repositories.ListCommits(ctx, q.owner, q.name, &gh.CommitsListOptions{Path: q.path, ListOptions: gh.ListOptions{PerPage: 1}})
		return resp, err
	})
	if err == nil && len(commits) == 0 {
		err = emptyAnswer("commit of the file")
	}
	if err != nil {
		q.unseen("who changed it last", err)
		return commit{}, false
	}
	c := commits[0]
	return commit{sha: c.GetSHA(), login: c.GetAuthor().GetLogin(), name: c.GetCommit().GetAuthor().GetName(), at: c.GetCommit().GetCommitter().GetDate().UTC()}, true
}

// ofLines is the last of the commits to the lines of the object's entries.
func (q *inquiry) ofLines(ranges []blamed) (commit, bool) {
	var out commit
	for _, r := range ranges {
		if !slices.ContainsFunc(q.object.Entries(), func(e providers.Entry) bool { return r.StartingLine <= e.Pos.Line && e.Pos.Line <= r.EndingLine }) {
			continue
		}
		if c := r.Commit; !out.schedule || c.CommittedDate.After(out.at) {
			out = commit{sha: c.OID, name: c.Author.Name, at: c.CommittedDate.UTC(), schedule: true}
			if c.Author.User != nil {
				out.login = c.Author.User.Login
			}
		}
	}
	return out, out.schedule
}

func (c commit) who() string { return short(cmp.Or(c.login, c.name, "someone unnamed")) }

// ofChange says when it was changed, and whether a run has come since.
func (q *inquiry) ofChange(c commit) {
	what := "its file"
	if c.schedule {
		what = "its schedule"
	}
	since := ""
	switch last := q.runs.Executed.Last; {
	case q.runs.Executed.State != providers.Known:
	case last.Before(c.at):
		since = ", and it has not run since then"
	default:
		since = ", and it has run since then"
	}
	q.say("%s was changed last at %s by %s (commit %s)%s", what, stamp(c.at), c.who(), short(c.sha[:min(len(c.sha), 12)]), since)
}

const takeOver = "a commit that changes the cron line, by someone who may write, takes it over"

// ofActor says whether GitHub still runs the schedule for whoever changed it
// last: not once that one has left the organisation, or the account is suspended
// or gone (reference: events that trigger workflows, schedule).
func (q *inquiry) ofActor(c commit, repo *gh.Repository) {
	if c.login == "" {
		q.say("GitHub links that commit with no account, so whether the schedule still runs for one is not known; %s", takeOver)
		return
	}
	var user *gh.User
	_, err := q.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		user, resp, err = q.client.Users.Get(ctx, c.login)
		return resp, err
	})
	switch t := (*trouble)(nil); {
	case errors.As(err, &t) && t.status == http.StatusNotFound:
		q.say("the account %s is gone, suspended or hidden from this token; GitHub runs no schedule for one that is gone or suspended, and shows the workflow as active all the same: %s", c.who(), takeOver)
		return
	case err != nil:
		q.unseen("whether the account "+c.who()+" still exists", err)
		return
	case user.SuspendedAt != nil:
		q.say("the account %s is suspended; GitHub runs no schedule for it, and shows the workflow as active all the same: %s", c.who(), takeOver)
		return
	}
	if user.GetType() == "User" && repo.GetOwner().GetType() == "Organization" {
		q.ofMember(c)
	}
}

// ofMember says whether the account is of the organisation. One who is no member
// is sent on to the list of its public members, which proves nothing.
func (q *inquiry) ofMember(c commit) {
	member, public := false, false
	_, err := q.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		member, resp, err = q.client.Organizations.IsMember(ctx, q.owner, c.login)
		public = resp != nil && resp.Request != nil && strings.Contains(resp.Request.URL.Path, "/public_members/")
		return resp, err
	})
	switch {
	case err != nil:
		q.unseen("whether "+c.who()+" is still a member of "+q.owner, err)
	case member:
	case public:
		q.say("whether %s is still a member of %s is not shown to this token; GitHub switches a schedule off once the last one to change it has left", c.who(), q.owner)
	default:
		q.say("%s is not a member of %s; GitHub switches a schedule off once the last one to change it has left, and shows the workflow as active all the same: %s", c.who(), q.owner, takeOver)
	}
}

// ofJobs says what the jobs of a run wait for, do, or ended as.
func (q *inquiry) ofJobs() {
	id, under := "", len(q.runs.Running) > 0
	switch {
	case under:
		id = q.runs.Running[0].ID
	case q.runs.Failed != nil && q.runs.Failed.At.After(q.runs.Succeeded.Last):
		id = q.runs.Failed.ID
	}
	n, ok := runID(id)
	if !ok {
		return
	}
	var jobs *gh.Jobs
	_, err := q.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		jobs, resp, err = q.client.Actions.ListWorkflowJobs(ctx, q.owner, q.name, n, &gh.ListWorkflowJobsOptions{Filter: "latest", ListOptions: gh.ListOptions{PerPage: 100}})
		if err == nil && (jobs == nil || jobs.TotalCount == nil) {
			err = emptyAnswer("list of jobs")
		}
		return resp, err
	})
	switch {
	case err != nil:
		q.unseen("what became of the jobs of run "+id, err)
	case len(jobs.Jobs) == 0 && !under:
		q.say("run %s has no job: GitHub refused it before one could begin", id)
	default:
		q.ofEach(id, jobs.Jobs)
	}
}

func (q *inquiry) ofEach(run string, jobs []*gh.WorkflowJob) {
	said := 0
	for _, j := range jobs {
		what := ofJob(j)
		if what == "" {
			continue
		}
		if said++; said > mostJobs {
			q.say("and so on, of %d jobs: gh run view %s", len(jobs), run)
			return
		}
		q.say("run %s, job %s %s", run, short(j.GetName()), what)
	}
}

// ofJob is what a job does or why it ended; empty if it ended well.
func ofJob(j *gh.WorkflowJob) string {
	step := func(found func(*gh.TaskStep) bool) string {
		for _, s := range j.Steps {
			if found(s) {
				return " at the step " + short(s.GetName())
			}
		}
		return ""
	}
	switch status, end := j.GetStatus(), j.GetConclusion(); {
	case status == "queued" && len(j.Labels) > 0:
		return "waits for a runner with the labels " + short(strings.Join(j.Labels, ", "))
	case status != "completed" && status != "in_progress":
		return "is " + short(cmp.Or(status, "in a state without a name"))
	case status == "in_progress":
		return "is under way" + step(func(s *gh.TaskStep) bool { return s.GetStatus() == "in_progress" })
	case end == "success" || end == "skipped" || end == "neutral":
		return ""
	default:
		return "ended as " + short(cmp.Or(end, "nothing")) + step(func(s *gh.TaskStep) bool {
			return !slices.Contains([]string{"success", "skipped", ""}, s.GetConclusion())
		})
	}
}
