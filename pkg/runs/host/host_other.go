//go:build !unix

package host

import (
	"io"
	"os"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// New is ErrUnsupported here.
func New() (runs.Machine, error) { return runs.Machine{}, ErrUnsupported }

// CheckState is ErrUnsupported here.
func CheckState(string) error { return ErrUnsupported }

// Launcher starts nothing here.
type Launcher struct {
	Stdin          *os.File
	Stdout, Stderr io.Writer
}

// Start is ErrUnsupported here.
func (Launcher) Start(runs.Launch) (runs.Job, error) { return nil, ErrUnsupported }
