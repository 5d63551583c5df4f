//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// TestAlarmsOnRealParts takes the whole way of an alarm: metrics of an audit, of
// kube-state-metrics and of a run in node_exporter's textfile collector and in a
// Pushgateway, Prometheus with the rules that rolecall makes, Alertmanager, a
// receiver; with the example configs, their intervals made short. What has to lie
// long ago is written so, and nothing waits for it.
func TestAlarmsOnRealParts(t *testing.T) {
	c := startChain(t)
	now := time.Now
	healthy := func() {
		c.audit(audited{at: now(), success: now()})
		c.cluster(true, false, now())
		c.push(now())
	}
	step := func(what string, want ...string) {
		t.Helper()
		slices.Sort(want)
		kubetest.Eventually(t, 30*time.Second, what, func() (bool, string) {
			got := c.people.firing()
			return slices.Equal(got, want), fmt.Sprintf("firing: %q, want %q", got, want)
		})
	}
	kubetest.Eventually(t, 30*time.Second, "the Watchdog arrives", func() (bool, string) {
		_, silent := c.heartbeat.silent()
		return !silent, c.state()
	})
	step("nothing fires while all is well")

	// Each fault by itself, and then none: what fired clears.
	c.audit(audited{at: now(), success: now().Add(-52 * time.Hour)})
	step("an audited role stops to succeed", "RolecallRoleNotSucceeding nightly-backup@web-1")
	c.audit(audited{at: now(), success: now()})
	step("it succeeds again")

	c.audit(audited{at: now(), success: now(), stage: report.Stale})
	step("the audit itself finds it late, long before the time alone says so", "RolecallRoleOverdue nightly-backup@web-1")

	c.audit(audited{at: now(), success: now(), gone: true})
	step("its line is deleted", "RolecallFindings web-1 missing", "RolecallRoleInactive nightly-backup@web-1")

	c.audit(audited{at: now(), success: now()})
	c.cluster(true, true, now())
	step("a CronJob is suspended by hand", "RolecallRoleInactive retry@prod")
	c.cluster(false, false, now())
	step("it is deleted: its success is no longer old, it is nowhere", "RolecallRoleAbsent retry@prod")
	c.cluster(true, false, now().Add(-time.Hour))
	step("it is made again, long ago, and never succeeded", "RolecallRoleNotSucceeding retry@prod")
	c.cluster(true, false, now())

	c.push(now().Add(-50 * time.Hour))
	step("what a host pushed stays in the Pushgateway, and its time is old all the same", "RolecallRoleNotSucceeding purge@web-2")
	c.push(now())
	step("the host pushes again")
	if err := c.pushText(c.neverSucceeded(now().Add(-50 * time.Hour))); err != nil {
		t.Fatal(err)
	}
	step("its job runs and never succeeded", "RolecallRoleNotSucceeding purge@web-2")
	c.push(now())
	step("it succeeds")

	dead := []string{"RolecallAuditSilent prod", "RolecallAuditSilent web-1", "RolecallAuditSilent web-2"}
	c.audit(audited{at: now().Add(-3 * time.Hour), success: now().Add(-25 * time.Hour)})
	step("the audit is dead", dead...)
	c.audit(audited{at: now().Add(-40 * time.Hour), success: now().Add(-60 * time.Hour)})
	kubetest.Eventually(t, 30*time.Second, "what only the audit knows is held back", func() (bool, string) {
		held := c.suppressed()
		return slices.Equal(held, []string{"RolecallRoleNotSucceeding"}), fmt.Sprint(held)
	})
	c.push(now().Add(-50 * time.Hour))
	step("what others know is not", append(slices.Clone(dead), "RolecallRoleNotSucceeding purge@web-2")...)
	// What is held back must not be let go and held back anew: Alertmanager sends no
	// end of what it holds back.
	healthy()
	step("an audit is alive again")
	if err := os.Remove(filepath.Join(c.textfiles, "rolecall.prom")); err != nil {
		t.Fatal(err)
	}
	step("its file is gone", "RolecallAuditAbsent prod", "RolecallAuditAbsent web-1", "RolecallAuditAbsent web-2")
	healthy()
	step("all is well again")

	c.alertmanager.stop()
	c.audit(audited{at: now(), success: now().Add(-52 * time.Hour)})
	kubetest.Eventually(t, time.Minute, "the Watchdog's silence is noticed while delivery is cut", func() (bool, string) {
		age, silent := c.heartbeat.silent()
		return silent, fmt.Sprintf("the last Watchdog came %v ago", age)
	})
	if got := c.people.firing(); len(got) > 0 {
		t.Fatalf("delivery is not cut: %q", got)
	}
	c.startAlertmanager()
	kubetest.Eventually(t, 30*time.Second, "the Watchdog is back", func() (bool, string) {
		_, silent := c.heartbeat.silent()
		return !silent, c.state()
	})
	step("what was held back arrives", "RolecallRoleNotSucceeding nightly-backup@web-1")
}

const chainLedger = `ledger: rolecall/v1
name: shop
roles:
  nightly-backup:
    owner: '{{ "platform" }}'
    purpose: "Copies the database {{ query \"up\" }}"
    source: web-1
    version: "1"
    spec: {schedule: "15 2 * * *", time_zone: UTC, command: rolecall run --role nightly-backup -- /opt/shop/backup}
  purge:
    owner: platform
    source: web-2
    version: "1"
    spec: {schedule: "0 3 * * *", command: /opt/shop/purge}
  retry:
    owner: payments
    source: prod
    version: "1"
    match: {namespace: batch, name: retry}
    spec: {schedule: "*/5 * * * *", time_zone: UTC}
`

const chainConfig = `ledger: ledger.yaml
sources:
  - name: web-1
    crontab: {system: true, zone: UTC}
  - name: web-2
    crontab: {system: true, zone: UTC}
  - name: prod
    kubernetes: {context: prod}
`

// chain is the way of an alarm, each part a process of its own.
type chain struct {
	t            *testing.T
	dir          string
	textfiles    string
	addresses    map[string]string
	ran          string // the metrics of a run
	alertmanager *part
	prometheus   *part
	people       *receiver
	heartbeat    *receiver
}

func startChain(t *testing.T) *chain {
	for _, name := range []string{"prometheus", "promtool", "prometheus-alertmanager", "prometheus-pushgateway", "prometheus-node-exporter"} {
		needProgram(t, name)
	}
	c := &chain{t: t, dir: t.TempDir(), addresses: map[string]string{}, people: newReceiver(t), heartbeat: newReceiver(t)}
	c.textfiles = filepath.Join(c.dir, "textfiles")
	for _, name := range []string{"prometheus", "alertmanager", "pushgateway", "node"} {
		c.addresses[name] = freeAddress(t)
	}
	writeFiles(t, c.dir, map[string]string{"ledger.yaml": chainLedger, "rolecall.yaml": chainConfig, "textfiles/README": "only *.prom is read"})
	now := time.Now()
	c.audit(audited{at: now, success: now})
	c.cluster(true, false, now)
	c.ran = c.metricsOfARun()
	c.rules()
	c.configs()
	c.start("prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile", "--collector.textfile.directory="+c.textfiles, "--web.listen-address="+c.addresses["node"])
	c.start("prometheus-pushgateway", "--web.listen-address="+c.addresses["pushgateway"])
	kubetest.Eventually(t, 30*time.Second, "the Pushgateway takes a push", func() (bool, string) {
		err := c.pushed(now)
		return err == nil, fmt.Sprint(err)
	})
	c.startAlertmanager()
	c.prometheus = c.start("prometheus", "--config.file="+filepath.Join(c.dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(c.dir, "tsdb"),
		"--web.listen-address="+c.addresses["prometheus"], "--rules.alert.resend-delay=1s")
	return c
}

func (c *chain) startAlertmanager() {
	c.alertmanager = c.start("prometheus-alertmanager", "--config.file="+filepath.Join(c.dir, "alertmanager.yml"), "--storage.path="+filepath.Join(c.dir, "alertmanager"),
		"--web.listen-address="+c.addresses["alertmanager"], "--cluster.listen-address=")
}

// rules makes the rules with the program itself, and has promtool run their tests.
func (c *chain) rules() {
	c.t.Helper()
	c.run(program(c.t), "rules", "--config", "rolecall.yaml", "--for", "1s", "--from", "web-2=run", "--from", "kube-state-metrics",
		"-o", "yaml=rolecall.rules.yaml", "--test", "rolecall.rules_test.yaml")
	c.run("promtool", "check", "rules", "rolecall.rules.yaml")
	c.run("promtool", "test", "rules", "rolecall.rules_test.yaml")
}

func (c *chain) run(name string, args ...string) {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// configs are the examples with the test's addresses, and with short intervals.
func (c *chain) configs() {
	c.t.Helper()
	for file, changes := range map[string][]string{
		"prometheus.yml": {
			"scrape_interval: 1m", "scrape_interval: 500ms", "evaluation_interval: 1m", "evaluation_interval: 500ms",
			"alertmanager.example:9093", c.addresses["alertmanager"], "web-1.example:9100", c.addresses["node"], "pushgateway.example:9091", c.addresses["pushgateway"],
		},
		"alertmanager.yml": {
			"group_wait: 30s", "group_wait: 1s", "group_interval: 5m", "group_interval: 1s", "repeat_interval: 4h", "repeat_interval: 1h",
			"group_interval: 1m", "group_interval: 1s", "repeat_interval: 1m", "repeat_interval: 1s",
			"https://alarms.example/rolecall", c.people.URL, "https://heartbeat.example/rolecall", c.heartbeat.URL,
		},
	} {
		data, err := os.ReadFile(filepath.Join("deploy/prometheus", file))
		if err != nil {
			c.t.Fatal(err)
		}
		for i := 0; i < len(changes); i += 2 {
			if !bytes.Contains(data, []byte(changes[i])) {
				c.t.Fatalf("%s does not hold %s", file, changes[i])
			}
		}
		writeFiles(c.t, c.dir, map[string]string{file: strings.NewReplacer(changes...).Replace(string(data))})
	}
}

// audited is what an audit found.
type audited struct {
	at, success time.Time
	stage       report.Stage // of success; yes if empty
	gone        bool         // nightly-backup is missing
}

// audit writes the metrics of an audit as rolecall render does of a saved report.
func (c *chain) audit(x audited) {
	c.t.Helper()
	last := func(t time.Time) *int64 { n := t.Unix(); return &n }
	r := report.Report{Schema: report.Schema, Mode: "live", ObservedAt: x.at.UTC().Truncate(time.Second), Canonicalisation: "rc1", Ledger: report.Ledger{Path: "ledger.yaml", Name: "shop"}, Complete: true}
	for _, role := range []report.Role{{Role: "nightly-backup", Source: "web-1", Owner: "platform"}, {Role: "purge", Source: "web-2", Owner: "platform"}, {Role: "retry", Source: "prod", Owner: "payments"}} {
		role.State, role.Stages = report.OK, report.Stages{Registered: report.Yes, Executed: report.Yes, Succeeded: report.Yes, Progressed: report.NotTracked}
		if role.Role == "nightly-backup" {
			role.Seen.LastSuccess = last(x.success)
			if x.stage != "" {
				role.Stages.Succeeded = x.stage
			}
			if x.gone {
				role.State, role.Stages.Registered = report.State(report.Missing), report.No
				r.Findings = append(r.Findings, report.Finding{ID: "missing:nightly-backup@web-1", Kind: report.Missing, Role: role.Role, Source: role.Source})
			}
		}
		r.Roles = append(r.Roles, role)
		r.Coverage = append(r.Coverage, report.Coverage{Source: role.Source, Part: "all", State: "read"})
	}
	var saved bytes.Buffer
	if err := report.Encode(&saved, r); err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(program(c.t), "render", "-o", "prometheus="+filepath.Join(c.textfiles, "rolecall.prom"))
	cmd.Stdin, cmd.Dir = &saved, c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("render: %v\n%s", err, out)
	}
}

// cluster writes what kube-state-metrics says of the CronJob retry: whether it is
// there, whether it is suspended, and when it succeeded; of one that was made an
// hour ago there is no success.
func (c *chain) cluster(there, suspended bool, success time.Time) {
	c.t.Helper()
	file := filepath.Join(c.textfiles, "cluster.prom")
	if !there {
		if err := os.Remove(file); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	const labels = `{namespace="batch",cronjob="retry"}`
	var b strings.Builder
	gauge := func(name string, value int64) {
		fmt.Fprintf(&b, "# TYPE %s gauge\n%s%s %d\n", name, name, labels, value)
	}
	gauge("kube_cronjob_info", 1)
	gauge("kube_cronjob_created", time.Now().Add(-time.Hour).Unix())
	gauge("kube_cronjob_spec_suspend", map[bool]int64{true: 1}[suspended])
	if time.Since(success) < time.Hour {
		gauge("kube_cronjob_status_last_successful_time", success.Unix())
	}
	tmp := file + ".tmp" // the collector must not read half of it
	err := os.WriteFile(tmp, []byte(b.String()), 0o644)
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// push sends the metrics of a run of purge to the Pushgateway.
func (c *chain) push(success time.Time) {
	c.t.Helper()
	if err := c.pushed(success); err != nil {
		c.t.Fatal(err)
	}
}

// runTime are the times in the metrics of a run.
var runTime = regexp.MustCompile(`(?m)^(rolecall_run_last_\w+_timestamp_seconds\{.*\}) .*$`)

// neverSucceeded is what a job leaves that runs since then, and last now, without
// a success.
func (c *chain) neverSucceeded(since time.Time) string {
	var b strings.Builder
	for line := range strings.Lines(runTime.ReplaceAllString(c.ran, fmt.Sprintf("${1} %d", time.Now().Unix()))) {
		switch {
		case strings.Contains(line, "rolecall_run_last_success_"):
		case strings.HasPrefix(line, "rolecall_run_first_timestamp_seconds{"):
			name, _, _ := strings.Cut(line, " ")
			fmt.Fprintf(&b, "%s %d\n", name, since.Unix())
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// metricsOfARun are those that a real run of purge leaves for the collector.
func (c *chain) metricsOfARun() string {
	c.t.Helper()
	c.run(program(c.t), "run", "--role", "purge", "--state", filepath.Join(c.dir, "state"), "--textfile", c.dir, "--", "true")
	data, err := os.ReadFile(filepath.Join(c.dir, "rolecall_run_purge.prom"))
	if err != nil {
		c.t.Fatal(err)
	}
	if n := len(runTime.FindAllString(string(data), -1)); n < 2 {
		c.t.Fatalf("%d times in\n%s", n, data)
	}
	return string(data)
}

func (c *chain) pushed(success time.Time) error {
	return c.pushText(runTime.ReplaceAllString(c.ran, fmt.Sprintf("${1} %d", success.Unix())))
}

func (c *chain) pushText(text string) error {
	req, err := http.NewRequest("PUT", "http://"+c.addresses["pushgateway"]+"/metrics/job/rolecall/instance/web-2", strings.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		body, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("the Pushgateway says %s: %s", resp.Status, body)
	}
	return nil
}

// state is what Prometheus itself says of the alerts, for a failure.
func (c *chain) state() string {
	resp, err := http.Get("http://" + c.addresses["prometheus"] + "/api/v1/alerts")
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4000))
	return string(body)
}

// suppressed are the names of the alerts that Alertmanager holds back.
func (c *chain) suppressed() (names []string) {
	resp, err := http.Get("http://" + c.addresses["alertmanager"] + "/api/v2/alerts?active=false&silenced=false&inhibited=true")
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var alerts []struct {
		Labels map[string]string `json:"labels"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&alerts); err != nil {
		return []string{err.Error()}
	}
	for _, a := range alerts {
		names = append(names, a.Labels["alertname"])
	}
	slices.Sort(names)
	return names
}

// part is a program that runs beside the test.
type part struct {
	t      *testing.T
	cmd    *exec.Cmd
	log    *os.File
	ending sync.Once
}

func (c *chain) start(name string, args ...string) *part {
	c.t.Helper()
	log, err := os.CreateTemp(c.dir, name+".log.*")
	if err != nil {
		c.t.Fatal(err)
	}
	p := &part{t: c.t, cmd: exec.Command(name, args...), log: log}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = c.dir, log, log
	p.cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1")
	if err := p.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(p.stop)
	return p
}

// stop ends the program and waits for it.
func (p *part) stop() {
	p.ending.Do(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		p.log.Close()
		if p.t.Failed() {
			text, _ := os.ReadFile(p.log.Name())
			p.t.Logf("%s:\n%s", p.cmd.Path, text[max(0, len(text)-3000):])
		}
	})
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// receiver is who is called at the end of the way.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	active map[string]bool
	called time.Time
}

// quiet is how long the Watchdog may not come before its silence is noticed.
const quiet = 8 * time.Second

func newReceiver(t *testing.T) *receiver {
	r := &receiver{active: map[string]bool{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var call struct {
			Alerts []struct {
				Status string            `json:"status"`
				Labels map[string]string `json:"labels"`
			} `json:"alerts"`
		}
		if err := json.NewDecoder(req.Body).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.called = time.Now()
		for _, a := range call.Alerts {
			name := a.Labels["alertname"] + " " + a.Labels["source"]
			if role := a.Labels["role"]; role != "" {
				name = a.Labels["alertname"] + " " + role + "@" + a.Labels["source"]
			}
			if kind := a.Labels["kind"]; kind != "" {
				name += " " + kind
			}
			delete(r.active, name)
			if a.Status == "firing" {
				r.active[name] = true
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) firing() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.active))
}

func (r *receiver) silent() (age time.Duration, silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	age = time.Since(r.called)
	return age, r.called.IsZero() || age > quiet
}

// TestExamplesOfPrometheus: its own checkers take the examples.
func TestExamplesOfPrometheus(t *testing.T) {
	for _, args := range [][]string{
		{needProgram(t, "promtool"), "check", "config", "--syntax-only", "deploy/prometheus/prometheus.yml"},
		{needProgram(t, "amtool"), "check-config", "deploy/prometheus/alertmanager.yml"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}
}

// TestTextfileIsReadable: what is written for the collector is there for any
// user, whatever the umask, and nothing that the collector would read lies beside.
func TestTextfileIsReadable(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"web-1": "17 3 * * * root /opt/shop/rotate-logs\n", "ledger.yaml": "ledger: rolecall/v1\nroles: {rotate-logs: {owner: web, source: crontab, version: \"1\", match: {command: \"*rotate*\"}, spec: {schedule: \"17 3 * * *\"}}}\n"})
	cmd := exec.Command("sh", "-c", `umask 077; exec "$0" audit --ledger ledger.yaml --crontab web-1 --exit-zero -o prometheus=out.prom`, program(t))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(filepath.Join(dir, "out.prom"))
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.prom")); len(left) != 1 {
		t.Errorf("files %q", left)
	}
}
