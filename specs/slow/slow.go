// Package slow says whether what only saves time is left out. Everything that is
// faster than the plain way to the same answer asks here, so that the two can be
// held against each other and a user can rule a shortcut out.
package slow

import (
	"os"
	"sync"
)

// Only says that ROLECALL_SLOW is 1: the plain way is the only one. It is read
// once, since an answer must not be made half by one way and half by the other.
func Only() bool { return only() }

var only = sync.OnceValue(func() bool { return os.Getenv("ROLECALL_SLOW") == "1" })
