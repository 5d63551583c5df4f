// Measure runs one command and says what it took, as JSON. It is a small program
// of its own, since Linux counts the memory of who starts a process into the
// peak of that process.
//
//	measure STDOUT STDERR COMMAND [ARG…]
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: measure STDOUT STDERR COMMAND [ARG…]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(stdout, stderr string, argv []string) error {
	out, err := os.Create(stdout)
	if err != nil {
		return err
	}
	errs, err := os.Create(stderr)
	if err != nil {
		return err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = out, errs
	begin := time.Now()
	err = cmd.Run()
	wall := time.Since(begin)
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return err
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"wall": wall.Seconds(),
		"cpu":  (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		"peak": float64(usage.Maxrss) / 1024, // MiB
		"exit": cmd.ProcessState.ExitCode(),
	})
}
