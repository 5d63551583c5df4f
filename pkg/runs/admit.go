package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"
)

const (
	admissionWait = 10 * time.Second
	lockPoll      = 50 * time.Millisecond
	reserveSize   = 64 << 10
)

// admit makes the run visible, or refuses it: what a drain counts after its
// barrier is all that can ever start. Where nothing can be recorded, a job that
// needs no record runs without one.
func (r *running) admit() error {
	err := r.admitRecorded()
	var end ending
	if err == nil || errors.As(err, &end) {
		return err
	}
	r.abandonRecord()
	if r.plan.Strict() {
		return err
	}
	r.warn("this run is not recorded: %v", err)
	r.key, r.attempt = Key(r.plan.Role, r.plan.SpecHash, r.plan.Due, r.Token()), 1
	return nil
}

func (r *running) abandonRecord() {
	for _, l := range []*Lock{&r.owner, &r.desc} {
		if *l != nil {
			(*l).Release()
			*l = nil
		}
	}
	r.run = nil
}

func (r *running) admitRecorded() error {
	role := r.plan.Role
	if err := r.mkdirs(r.Root, path.Join(r.Root, "roles"), r.roleDir(role), r.runsDir(), r.roleRuns(role)); err != nil {
		return err
	}
	barrier, err := r.patiently(admissionWait, func() (Lock, error) { return r.Locks.Shared(r.admissionLock()) })
	if err != nil {
		return fmt.Errorf("%s: %w", r.admissionLock(), err)
	}
	defer barrier.Release()
	draining, err := r.Draining()
	if err != nil {
		return err
	}
	if err := r.appear(draining); err != nil {
		return err
	}
	if draining {
		return ending{r.outcome(ExitSkipped, Skipped, CauseDraining, "not started: this machine is being drained; see: rolecall drain --status")}
	}
	return nil
}

// appear makes the run's folder whole under another name and then gives it its
// own: nobody sees a run without its locks held and its first record. A refused
// one appears with its closure.
func (r *running) appear(refused bool) error {
	ids, _, err := r.IDs(r.plan.Role)
	if err != nil {
		return err
	}
	number := 1
	if len(ids) > 0 {
		last, _ := numberOf(ids[len(ids)-1])
		number = last + 1
	}
	id := newID(number, r.Token())
	r.run = &Run{Role: r.plan.Role, ID: id, Dir: path.Join(r.roleRuns(r.plan.Role), ".new-"+id)}
	if err := r.furnish(number); err != nil {
		return err
	}
	if refused {
		if err := r.refuse(); err != nil {
			return err
		}
	}
	final := r.RunDir(r.plan.Role, id)
	if err := r.FS.Rename(r.run.Dir, final); err != nil {
		return err
	}
	r.run.Dir = final
	return r.FS.SyncDir(path.Dir(final))
}

func (r *running) furnish(number int) (err error) {
	dir := r.run.Dir
	if err = r.FS.Mkdir(dir); err != nil {
		return err
	}
	// Whoever asks whether the lock is held shares it for a moment.
	if r.owner, err = r.patiently(time.Second, func() (Lock, error) { return r.Locks.Exclusive(path.Join(dir, "owner.lock")) }); err != nil {
		return err
	}
	if r.desc, err = r.Locks.Exclusive(path.Join(dir, "desc.lock")); err != nil {
		return err
	}
	if err = r.FS.Mkdir(path.Join(dir, "staging")); err != nil {
		return err
	}
	for _, kind := range reservedKinds {
		if err = r.FS.Reserve(r.reserved(kind), reserveSize); err != nil {
			return err
		}
	}
	r.key = Key(r.plan.Role, r.plan.SpecHash, r.plan.Due, r.run.ID)
	return r.schedule(number)
}

var reservedKinds = []string{KindStarted, KindGate, KindTerminal}

// reserved is a file with room set aside for a record, for a disk that is full.
func (r *running) reserved(kind string) string { return path.Join(r.run.Dir, "."+kind+".reserve") }

func (r *running) schedule(number int) error {
	p := r.plan
	trigger := "manual"
	if p.Due != nil {
		trigger = "schedule"
	}
	body := Scheduled{Number: number, Due: p.Due, Trigger: trigger, SpecVersion: p.SpecVersion, SpecHash: p.SpecHash,
		Key: r.key, Policy: p.Policy, External: p.External, Argv: p.Shown, Outputs: p.Outputs, WatermarkTo: p.WatermarkTo,
		Budgets: p.Budgets, Host: r.Host, LockScope: r.FS.Scope(r.run.Dir), Wrapper: r.Self()}
	r.run.seq++
	data, err := record(&r.Store, KindScheduled, r.run.Role, r.run.ID, r.run.seq, body)
	if err != nil {
		return err
	}
	if _, err := r.once(path.Join(r.run.Dir, "scheduled.json"), data, ""); err != nil {
		return err
	}
	r.run.Scheduled = &Record[Scheduled]{Header: r.stamp(KindScheduled, r.run.Role, r.run.ID, r.run.seq), Body: body}
	return nil
}

func (r *running) refuse() error {
	if _, err := r.claim(r.run, r.own(Gate{Verdict: Declined, Cause: CauseDraining}), ""); err != nil {
		return err
	}
	return r.finish(r.run, Terminal{State: Skipped, Cause: CauseDraining, SideEffects: EffectsNone, By: "run"}, "")
}

// own is a verdict that this run claims.
func (r *running) own(g Gate) Gate {
	g.By, g.Token = "run", r.run.ID
	return g
}

// Draining says that new runs are refused. A mark that cannot be read as one
// refuses too; one of an earlier boot, or past its end, does not.
func (s *Store) Draining() (bool, error) {
	data, err := s.FS.ReadFile(s.drainMark())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	m, err := Decode[Mark](KindDrain, data)
	if err != nil {
		return true, nil
	}
	return s.inForce(m.Body), nil
}
