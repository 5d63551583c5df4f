package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
)

// errSync marks a failed sync, which is final for a run: what a second one says
// proves nothing.
type errSync struct{ error }

func (e errSync) Unwrap() error { return e.error }

// staged is an output that was looked at, made durable and summed.
type staged struct {
	Promotion
	info Info
}

// deliver brings a job's outputs in place and closes the run as completed. All
// up to the claim can be stopped; from there on a stop is only noted.
func (r *running) deliver() Outcome {
	outputs, cause, err := r.validate()
	switch {
	case errors.Is(err, errStopped):
		return r.interrupted(r.stopCause)
	case err != nil:
		return r.rejected(cause, err)
	case r.pending():
		return r.interrupted(CauseSignal)
	}
	return r.commit(outputs)
}

// rejected is a job that said 0 and whose output is not to be believed.
func (r *running) rejected(cause string, err error) Outcome {
	code := 1
	if cause == CauseDurability {
		code = ExitIO
	}
	e := r.ended.Exit
	return r.shut(code, Gate{Verdict: Fail, Cause: cause, Exit: &e},
		Terminal{State: Failed, Cause: cause, Note: err.Error()}, err.Error())
}

// validate looks at all outputs: there, regular, not empty, by the check
// command, durable. What it sums is what the gate then promises.
func (r *running) validate() ([]staged, string, error) {
	var out []staged
	dir := r.run.Staging()
	for _, o := range r.plan.Outputs {
		name := path.Join(dir, o.Staged)
		info, err := r.FS.Stat(name)
		switch {
		case err != nil:
			return nil, CauseValidation, fmt.Errorf("the output %s is not there: %w", o.Staged, err)
		case !info.Regular:
			return nil, CauseValidation, fmt.Errorf("the output %s is no regular file", o.Staged)
		case info.Size == 0:
			return nil, CauseValidation, fmt.Errorf("the output %s is empty", o.Staged)
		}
		out = append(out, staged{Promotion: Promotion{Staged: name, Final: o.Final}})
	}
	if err := r.check(dir); err != nil {
		return nil, CauseValidation, err
	}
	for i := range out {
		if cause, err := r.seal(&out[i]); err != nil {
			return nil, cause, err
		}
	}
	if len(out) > 0 {
		if err := r.FS.SyncDir(dir); err != nil {
			return nil, CauseDurability, errSync{err}
		}
	}
	return out, "", nil
}

func (r *running) check(dir string) error {
	if len(r.plan.Check) == 0 {
		return nil
	}
	e, err := r.help(r.plan.Check, dir, r.jobEnv())
	if err != nil {
		return fmt.Errorf("the check of the output: %w", err)
	}
	if e.Shell() != 0 {
		return fmt.Errorf("the check refused the output with %s", e)
	}
	return nil
}

// seal makes one output durable and sums it.
func (r *running) seal(s *staged) (string, error) {
	if err := r.FS.SyncFile(s.Staged); err != nil {
		return CauseDurability, fmt.Errorf("%s could not be made durable: %w", s.Staged, errSync{err})
	}
	before, err := r.FS.Stat(s.Staged)
	if err != nil {
		return CauseValidation, err
	}
	if s.SHA256, err = r.sumUntilStopped(s.Staged); err != nil {
		return CauseValidation, err
	}
	s.info, err = r.FS.Stat(s.Staged)
	if err != nil {
		return CauseValidation, err
	}
	if s.info != before {
		return CauseValidation, fmt.Errorf("the output %s was still being written after the job's end", s.Staged)
	}
	s.Size = s.info.Size
	if s.Replaced, err = r.sumUntilStopped(s.Final); err != nil {
		return CauseValidation, err
	}
	return "", nil
}

// sumUntilStopped is sum, given up for a stop.
func (r *running) sumUntilStopped(name string) (string, error) {
	f, err := r.FS.Open(name)
	if isNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	for {
		_, err := io.CopyN(h, f, 4<<20)
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
		if r.pending() {
			return "", errStopped
		}
	}
}
