package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// clockwork is a CronJob whose runs the real controllers bring about, and what an
// audit is to say of it.
type clockwork struct {
	role      string
	namespace string            // batch, if empty
	outcome   string            // of its pods
	yearly    bool              // it is not due
	asleep    bool              // suspended over its due instant
	wake      bool              // and switched on again after it
	spec      object            // beside the usual
	job       object            // of the job template's spec, beside the usual
	by        func(r *clockRun) // what people do to it
	soon      string            // half an hour after its due instant: executed, succeeded, kinds of findings
	later     string            // two hours and a half after it, as if the cluster had stood still since
	says      []string          // among the hints of the findings of later
}

func clockworks() []clockwork {
	return []clockwork{
		{role: "good", soon: "yes yes", later: "stale stale not-executed", says: []string{}},
		{role: "fails", outcome: "fail", soon: "yes never not-succeeded", later: "stale never not-executed",
			says: []string{"BackoffLimitExceeded", "exit code 1"}},
		{role: "hangs", outcome: "hang", soon: "yes never hung not-succeeded", later: "stale never not-executed hung",
			says: []string{"has not ended since", "nothing ends it"}},
		{role: "ended", outcome: "hang", job: object{"activeDeadlineSeconds": 1}, soon: "yes never not-succeeded", later: "stale never not-executed",
			says: []string{"DeadlineExceeded"}},
		{role: "asleep", asleep: true, soon: "late never inactive", later: "never never inactive"},
		{role: "woken", asleep: true, wake: true, soon: "yes yes", later: "stale stale not-executed"},
		{role: "missed", asleep: true, wake: true, spec: object{"startingDeadlineSeconds": 1}, soon: "not-due not-due", later: "never never not-executed",
			says: []string{"startingDeadlineSeconds is 1"}},
		{role: "windowless", spec: object{"startingDeadlineSeconds": 0}, soon: "late never inactive", later: "never never inactive"},
		{role: "piled", outcome: "hang", spec: object{"concurrencyPolicy": "Forbid"}, soon: "yes never hung not-succeeded", later: "stale never not-executed hung",
			says: []string{"concurrencyPolicy is Forbid and Job piled-", "2 due instants have passed by since"}},
		{role: "imageless", outcome: "image-pull", soon: "yes never hung not-succeeded", later: "stale never not-executed hung",
			says: []string{"ImagePullBackOff"}},
		{role: "nodeless", outcome: "pending", soon: "yes never hung not-succeeded", later: "stale never not-executed hung",
			says: []string{"no scheduler has looked at it"}},
		{role: "refused", namespace: "full", soon: "yes never hung not-succeeded", later: "stale never not-executed hung",
			says: []string{"FailedCreate", "quota"}},
		{role: "paused", outcome: "hang", by: func(r *clockRun) { r.suspendJob("paused") }, soon: "yes never hung not-succeeded", later: "stale never not-executed hung",
			says: []string{"is suspended (spec.suspend)"}},
		{role: "manual", yearly: true, by: func(r *clockRun) { r.byHand("manual", "succeed") }, soon: "not-due yes", later: "not-due yes"},
		{role: "rescued", outcome: "fail", by: func(r *clockRun) { r.byHand("rescued", "succeed") }, soon: "yes yes", later: "stale stale not-executed",
			says: []string{"is of Job rescued-by-hand, which was started by hand"}},
	}
}

// clockRun is a run of all clockworks on one cluster.
type clockRun struct {
	t   *testing.T
	c   *kubetest.Cluster
	due time.Time
}

func (w clockwork) where() string {
	if w.namespace != "" {
		return w.namespace
	}
	return "batch"
}

// manifest is the CronJob, due once an hour in a minute, as the ledger wants it.
func (w clockwork) manifest(minute int) object {
	schedule := fmt.Sprintf("%d * * * *", minute)
	if w.yearly {
		schedule = "0 0 1 1 *"
	}
	cj := cronJob(w.role, schedule)
	cj["metadata"].(object)["namespace"] = w.where()
	spec := cj["spec"].(object)
	spec["timeZone"] = "Etc/UTC"
	maps.Copy(spec, w.spec)
	job := spec["jobTemplate"].(object)["spec"].(object)
	job["backoffLimit"] = 0
	maps.Copy(job, w.job)
	job["template"].(object)["metadata"] = object{"annotations": object{"testkube/outcome": w.outcome, "testkube/run-for": "100ms"}}
	return cj
}

func (r *clockRun) path(w clockwork) string {
	return "/apis/batch/v1/namespaces/" + w.where() + "/cronjobs/" + w.role
}

// job is the Job that the controller made for the due instant.
func (r *clockRun) job(role string) string { return fmt.Sprintf("%s-%d", role, r.due.Unix()/60) }

// suspendJob does by hand what nobody should.
func (r *clockRun) suspendJob(role string) {
	r.c.Must(r.t, http.MethodPatch, "/apis/batch/v1/namespaces/batch/jobs/"+r.job(role), object{"spec": object{"suspend": true}})
}

// byHand is kubectl create job --from=cronjob/ROLE.
func (r *clockRun) byHand(role, outcome string) {
	var cj struct {
		Metadata struct{ UID string }
		Spec     struct{ JobTemplate struct{ Spec object } }
	}
	if err := json.Unmarshal(r.c.Must(r.t, http.MethodGet, "/apis/batch/v1/namespaces/batch/cronjobs/"+role, nil), &cj); err != nil {
		r.t.Fatal(err)
	}
	spec := cj.Spec.JobTemplate.Spec
	spec["template"].(object)["metadata"] = object{"annotations": object{"testkube/outcome": outcome}}
	r.c.Must(r.t, http.MethodPost, "/apis/batch/v1/namespaces/batch/jobs", object{
		"metadata": object{"name": role + "-by-hand", "annotations": object{"cronjob.kubernetes.io/instantiate": "manual"},
			"ownerReferences": []object{{"apiVersion": "batch/v1", "kind": "CronJob", "name": role, "uid": cj.Metadata.UID, "controller": true}}},
		"spec": spec,
	})
}

// has says that an object of the server holds a text.
func (r *clockRun) has(path, text string) bool {
	body, err := r.c.Do(http.MethodGet, path, nil)
	return err == nil && strings.Contains(string(body), text)
}

// TestStagesOnARealCluster: the real controllers run, fail, hang and refuse, all
// in one minute, and the audit says of each what became of it and why.
func TestStagesOnARealCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a minute of a real cluster")
	}
	c := kubetest.Start(t, kubetest.Controllers, kubetest.Node)
	c.Namespace(t, "batch")
	c.Namespace(t, "full")
	none := object{"pods": "0"}
	c.Must(t, http.MethodPost, "/api/v1/namespaces/full/resourcequotas", object{"metadata": object{"name": "none"}, "spec": object{"hard": none}})
	// As the controller of quotas, which does not run here, would write it.
	c.Must(t, http.MethodPatch, "/api/v1/namespaces/full/resourcequotas/none/status", object{"status": object{"hard": none, "used": none}})
	r := &clockRun{t: t, c: c, due: time.Now().UTC().Add(75 * time.Second).Truncate(time.Minute)}
	all := clockworks()
	files := map[string]string{"rolecall.yaml": "ledger: ledger.yaml\nsources: [{name: prod, kubernetes: {namespaces: [batch, full]}}]\n"}
	ledger := "ledger: rolecall/v1\nname: shop\nroles:\n"
	for _, w := range all {
		cj := w.manifest(r.due.Minute())
		files[w.role+".yaml"] = inJSON(t, cj)
		ledger += fmt.Sprintf("  %s: {owner: o, source: prod, version: \"1\", spec: {template: %s.yaml}, evidence: {max_runtime: 5m, succeed_within: 10m}}\n", w.role, w.role)
		if w.asleep {
			cj["spec"].(object)["suspend"] = true
		}
		create(t, c, cj, w.where())
	}
	files["ledger.yaml"] = ledger
	dir := t.TempDir()
	writeFiles(t, dir, files)

	r.play(all)

	for _, user := range []string{kubetest.Admin, kubetest.Alice} {
		if user == kubetest.Alice {
			c.ClusterRole(t, "cronjob-reader", "batch", []string{"cronjobs"}, []string{"get", "list"})
			c.Grant(t, user, "cronjob-reader", "batch")
			c.Grant(t, user, "cronjob-reader", "full")
		}
		for _, after := range []time.Duration{30 * time.Minute, 150 * time.Minute} {
			got, code := auditAs(t, dir, c.Kubeconfig(user), "--now", r.due.Add(after).Format(time.RFC3339))
			if code != 1 || !got.Complete {
				t.Errorf("%s, after %v: exit %d, complete %v; %s", user, after, code, got.Complete, coverageOf(got))
			}
			for _, w := range all {
				want := w.soon
				if after > time.Hour {
					want = w.later
				}
				if s := stagesOf(got, w.role); s != want {
					t.Errorf("%s, after %v: %s: %s, want %s", user, after, w.role, s, want)
				}
				if after > time.Hour {
					checkHints(t, got, w, user == kubetest.Admin)
				}
			}
		}
	}
	onlyReads(t, c)
}

// play waits for the due instant to pass and for what it brings about, and does
// what people do.
func (r *clockRun) play(all []clockwork) {
	settled := func() (bool, string) {
		var waits []string
		for _, w := range all {
			if !r.settled(w) {
				waits = append(waits, w.role)
			}
		}
		return len(waits) == 0 && time.Now().After(r.due), strings.Join(waits, ", ")
	}
	kubetest.Eventually(r.t, 4*time.Minute, "the minute's Jobs to start and to end", settled)
	for _, w := range all {
		if w.wake {
			r.c.Must(r.t, http.MethodPatch, r.path(w)+"?fieldManager=waker", object{"spec": object{"suspend": false}})
		}
		if w.by != nil {
			w.by(r)
		}
	}
	kubetest.Eventually(r.t, time.Minute, "the Jobs made up for and by hand to end", func() (bool, string) {
		woken := r.has("/apis/batch/v1/namespaces/batch/cronjobs/woken", "lastSuccessfulTime")
		manual := r.has("/apis/batch/v1/namespaces/batch/cronjobs/manual", "lastSuccessfulTime")
		rescued := r.has("/apis/batch/v1/namespaces/batch/cronjobs/rescued", "lastSuccessfulTime")
		refused := r.has("/api/v1/namespaces/full/events", "FailedCreate")
		return woken && manual && rescued && refused, fmt.Sprint(woken, manual, rescued, refused)
	})
}

// settled says that what the due instant brings about has come about.
func (r *clockRun) settled(w clockwork) bool {
	path := r.path(w)
	switch {
	case w.asleep || w.yearly || w.role == "windowless":
		return true
	case w.outcome == "":
		return r.has(path, `"lastScheduleTime"`) && (w.namespace != "" || r.has(path, `"lastSuccessfulTime"`))
	case w.outcome == "fail" || w.job != nil:
		return r.has(path, `"lastScheduleTime"`) && !r.has(path, `"active"`)
	case w.outcome == "image-pull":
		return r.has("/api/v1/namespaces/batch/pods?labelSelector=job-name%3D"+r.job(w.role), "ImagePullBackOff")
	}
	return r.has(path, `"active"`)
}

// stagesOf are the stages of a role, and the kinds of its findings.
func stagesOf(r report.Report, role string) string {
	var out []string
	for _, x := range r.Roles {
		if x.Role == role {
			out = append(out, string(x.Stages.Executed), string(x.Stages.Succeeded))
		}
	}
	for _, f := range r.Findings {
		if f.Role == role {
			out = append(out, string(f.Kind))
		}
	}
	return strings.Join(out, " ")
}

// checkHints holds the findings of a role to what is said about it, and to naming
// the rights without which less can be said.
func checkHints(t *testing.T, r report.Report, w clockwork, allowed bool) {
	t.Helper()
	var hints []string
	for _, f := range r.Findings {
		if f.Role == w.role && f.Kind != report.Inactive {
			hints = append(hints, f.Hints...)
		}
	}
	all := strings.Join(hints, "\n")
	for _, s := range w.says {
		fromCronJob := strings.Contains(s, "Deadline") && w.role != "ended" || strings.Contains(s, "Forbid") || strings.Contains(s, "due instants")
		if (allowed || fromCronJob) && !strings.Contains(all, s) {
			t.Errorf("%s: %q is not said, but\n%s", w.role, s, all)
		}
	}
	if missing := strings.Contains(all, "grant list on"); w.says != nil && missing == allowed {
		t.Errorf("%s: allowed %v, and said:\n%s", w.role, allowed, all)
	}
	if hints = slices.DeleteFunc(hints, func(h string) bool { return strings.TrimSpace(h) != "" }); len(hints) > 0 {
		t.Errorf("%s: %d empty hints", w.role, len(hints))
	}
}
