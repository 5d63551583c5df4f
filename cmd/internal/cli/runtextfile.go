package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// metricsFile leaves what a role's records say for the textfile collector of
// node_exporter, when a job has started and when it has ended. What comes of it
// changes nothing but a line for a person.
type metricsFile struct {
	name  string // empty for none
	store runs.Store
	role  string
	begun <-chan error
	warn  func(string)
}

// metricsWait bounds how long a run waits for its metrics: a folder can hang.
const metricsWait = 5 * time.Second

func (a *app) metricsFile(dir string, s runs.Store, role string) *metricsFile {
	m := &metricsFile{store: s, role: role, warn: a.say}
	if dir != "" && s.Root != "" {
		m.name = filepath.Join(dir, "rolecall_run_"+role+".prom")
	}
	return m
}

// started writes while the job goes on.
func (m *metricsFile) started() {
	if m.name != "" {
		m.begun = m.writing()
	}
}

// ended writes once more. A run that was skipped adds nothing, and would only
// race the one that goes on.
func (m *metricsFile) ended(out runs.Outcome) {
	if m.name == "" || out.State == runs.Skipped {
		return
	}
	over := time.After(metricsWait)
	if m.begun != nil {
		select {
		case <-m.begun: // the same, if it is an error, comes again
		case <-over:
		}
	}
	select {
	case err := <-m.writing():
		if err != nil {
			m.warn("the metrics of the run were not written: " + err.Error())
		}
	case <-over:
		m.warn("the metrics of the run were not written: " + m.name + " cannot be written to in time")
	}
}

func (m *metricsFile) writing() <-chan error {
	done := make(chan error, 1)
	go func() { done <- m.write() }()
	return done
}

func (m *metricsFile) write() error {
	l, err := m.store.Latest(m.role)
	if err != nil {
		return err
	}
	return writeFile(m.name, pile{[]byte(runMetrics(m.role, l))})
}

// runMetrics are a role's, in the text format of Prometheus. What never was has
// no sample, so that never and long ago are told apart.
func runMetrics(role string, l runs.Latest) string {
	var b strings.Builder
	gauge := func(name, help string, value *float64) {
		if value != nil {
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s{role=%q} %s\n", name, help, name, name, role, strconv.FormatFloat(*value, 'f', -1, 64))
		}
	}
	gauge("rolecall_run_first_timestamp_seconds", "When the first run of the role that is recorded was scheduled by rolecall run, in Unix time.", seconds(l.First))
	gauge("rolecall_run_last_start_timestamp_seconds", "When the role's job was last started by rolecall run, in Unix time.", seconds(l.Started))
	gauge("rolecall_run_last_success_timestamp_seconds", "When a run of the role last completed, its output proved, in Unix time.", seconds(l.Success))
	gauge("rolecall_run_last_end_timestamp_seconds", "When a run of the role last ended, however it ended, in Unix time.", seconds(l.Ended))
	if l.Ended == nil {
		return b.String()
	}
	took := l.Duration.Seconds()
	gauge("rolecall_run_last_duration_seconds", "How long the run took that ended last.", &took)
	if l.Exit != nil {
		code := float64(l.Exit.Shell())
		gauge("rolecall_run_last_exit_code", "The exit code of the job of the run that ended last, 128+n for signal n; it can be 0 where the run was no success.", &code)
	}
	return b.String()
}

func seconds(t *time.Time) *float64 {
	if t == nil {
		return nil
	}
	s := float64(t.UnixMilli()) / 1000
	return &s
}
