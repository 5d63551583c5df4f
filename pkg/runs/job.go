package runs

import "time"

// Launcher starts processes.
type Launcher interface {
	// Start begins a job that leads a process group of its own. An error is
	// ErrNotFound, ErrNotExecutable or what else kept it from beginning.
	Start(Launch) (Job, error)
}

// StartError says why a job could not be started, and the exit code that a shell
// would give for it: 127 not found, 126 not executable.
type StartError struct {
	Code int
	Err  error
}

func (e StartError) Error() string { return e.Err.Error() }
func (e StartError) Unwrap() error { return e.Err }

// Launch is what to start.
type Launch struct {
	Argv []string
	Dir  string   // empty: the current one
	Env  []string // all of it
	// Inherit is a lock that the job and its descendants hold; nil if none.
	Inherit Lock
	Capture Capture
	Quiet   bool // its output goes to standard error, and is not kept
}

// Capture says what happens to a job's output.
type Capture struct {
	Mode string // tee, file or none
	Out  string // the files, for tee and file; empty: nothing is kept
	Err  string
}

// The modes of a Capture.
const (
	CaptureTee  = "tee"  // passed through, head and tail kept
	CaptureFile = "file" // written to the files alone, whole; survives the wrapper
	CaptureNone = "none" // passed through by the job itself
)

// Job is a process group that was started.
type Job interface {
	Process() Process
	// Exited is closed when the leader has ended. It is not reaped yet, so that
	// its number, which is the group's, is nobody else's.
	Exited() <-chan struct{}
	// Status is how the leader ended. Called after Exited.
	Status() Exit
	// Signal goes to the whole group.
	Signal(Signal) error
	// Others counts the members of the group beside the leader, -1 if unknown.
	Others() int
	// Reap ends the leader's zombie and waits, at most for d, for the output's
	// pipes, which descendants may hold open. Called once, after Exited.
	Reap(d time.Duration) Ended
}

// Ended is how a job ended.
type Ended struct {
	Exit     Exit
	Out, Err Stream
	PipeHeld bool
}

// Notices tell an outside monitor of a run. They are bounded by the run's
// notice budget and never change how it ends; while they go out the run is in
// flight.
type Notices interface {
	// Begin and End start to send and return at once. The channel is closed
	// when all is out. Of a run whose job was not started there is an End alone.
	Begin(Event)
	End(Event) <-chan struct{}
}

// Event is what a notice is about.
type Event struct {
	Role, RunID, Key string // RunID is empty where the run is not recorded
	State            State  // empty at the beginning, and where no record says how it ended
	Cause            string
	ExitCode         int
	Duration         time.Duration
	OutLog, ErrLog   string // files with what was kept; empty if nothing was
}
