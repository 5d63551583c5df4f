package host

import (
	"time"

	"golang.org/x/sys/unix"
)

// Mono is CLOCK_MONOTONIC: the same for all processes of a boot.
func (Clock) Mono() time.Duration { return read(unix.CLOCK_MONOTONIC) }

// Boot is CLOCK_BOOTTIME.
func (Clock) Boot() time.Duration { return read(unix.CLOCK_BOOTTIME) }

func read(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
