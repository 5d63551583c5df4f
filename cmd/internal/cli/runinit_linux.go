package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// asInit lets the first process of a container be no more than that: it starts
// the program once more, hands it what signals come, and reaps whatever is
// orphaned. A run that reaped for all would take its own job's end for that of a
// stranger.
func (a *app) asInit() (code int, isInit bool) {
	if os.Getpid() != 1 {
		return 0, false
	}
	in := make(chan os.Signal, 16)
	signal.Notify(in, stopSignals...)
	a.patient.Store(true)
	self, err := os.StartProcess("/proc/self/exe", append([]string{"rolecall"}, a.args...), &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		fmt.Fprintf(a.Err, "rolecall: %v\n", err)
		return exitInternal, true
	}
	go func() {
		for s := range in {
			self.Signal(s)
		}
	}()
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case err == syscall.EINTR || err == nil && pid != self.Pid:
		case err != nil:
			fmt.Fprintf(a.Err, "rolecall: %v\n", err)
			return exitInternal, true
		case ws.Signaled():
			return 128 + int(ws.Signal()), true
		default:
			return ws.ExitStatus(), true
		}
	}
}
