package host

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// siginfo is siginfo_t as waitid(2) fills it in: three ints, and after the
// alignment of a pointer the child's number, its user and its status.
type siginfo struct {
	signo, errno, code int32
	_                  [unsafe.Sizeof(uintptr(0)) - 4]byte
	pid, uid, status   int32
	_                  [128]byte
}

// awaitExit waits until a child has ended and leaves it a zombie.
func awaitExit(pid int) (runs.Exit, error) {
	var info siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, (*unix.Siginfo)(unsafe.Pointer(&info)), unix.WEXITED|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return runs.Exit{}, err
		}
		const exited, dumped = 1, 3 // CLD_EXITED, CLD_DUMPED
		if info.code == exited {
			return runs.Exit{Code: int(info.status)}, nil
		}
		return runs.Exit{Code: -1, Signal: runs.Signal(info.status), Core: info.code == dumped}, nil
	}
}
