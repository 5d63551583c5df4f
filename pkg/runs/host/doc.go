// Package host is the machine that runs stand on: its disk, locks, clocks,
// processes and jobs. It is whole on Linux. On macOS jobs run and are recorded,
// with three things less: the members of a process group cannot be listed, so
// what a job leaves behind is not known and a group is killed without looking; a
// process is signalled by number and start time, without a handle that pins it;
// and the boot-time clock is the wall clock's distance from the boot.
// On other systems there is nothing.
package host

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
)

// ErrUnsupported says that runs cannot be made or looked after here.
var ErrUnsupported = errors.New("runs need a Unix system: process groups, flock and hard links; use rolecall run and drain on Linux")

// token is 16 random hex digits.
func token() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
