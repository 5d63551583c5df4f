package kubetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// process is one program of the control plane. It ends with the test, also
// where the test is killed: it ends itself when its standard input does.
type process struct {
	name  string
	log   string
	cmd   *exec.Cmd
	stdin io.Closer
	done  chan struct{}
}

func startProcess(binary, dir, name string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(binary, append([]string{name}, args...)...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// kill ends the process at once and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
	_ = p.stdin.Close()
}

// alive is an error, with the end of the log, if the process has ended.
func (p *process) alive() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s has ended:\n%s", p.name, tail(p.log))
	default:
		return nil
	}
}

func tail(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-2000):])
}

var errTime = errors.New("it did not happen in time")

// until asks again and again, until a condition holds, an error is final, or
// the time is over. The last word of the condition is part of the error.
func until(limit time.Duration, what string, condition func() (done bool, state string, err error)) error {
	end := time.NewTimer(limit)
	defer end.Stop()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		done, state, err := condition()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if done {
			return nil
		}
		select {
		case <-again.C:
		case <-end.C:
			return fmt.Errorf("%s: %w (%v); last seen: %s", what, errTime, limit, state)
		}
	}
}
