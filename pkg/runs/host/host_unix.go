//go:build unix

package host

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// New is this machine.
func New() (runs.Machine, error) {
	h := hostNow()
	return runs.Machine{FS: Disk{}, Locks: Locks{}, Clock: Clock{begun: time.Now()}, Processes: Processes{boot: h.BootID}, Host: h, Token: token}, nil
}

// CheckState refuses a state folder that others could write to: whoever can
// decides what counts as a success. One that is not there is fine.
func CheckState(root string) error {
	info, err := os.Stat(root)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("the state folder %s is no folder; name another with --state", root)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return fmt.Errorf("the state folder %s belongs to user %d; name one of your own with --state", root, st.Uid)
	}
	if perm := info.Mode().Perm(); perm&0o022 != 0 {
		return fmt.Errorf("the state folder %s has the mode %#o, so others could write records; give it to one user with: chmod 700 %s", root, perm, root)
	}
	return nil
}
