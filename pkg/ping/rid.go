package ping

import (
	"crypto/sha1"
	"fmt"
)

// space is the name space of the identifiers, a random UUID.
var space = [16]byte{0x6c, 0x1d, 0x0a, 0x9e, 0x2f, 0x47, 0x4b, 0x83, 0x9a, 0x55, 0xd0, 0x3b, 0x71, 0xe8, 0x26, 0xc4}

// RID is the UUID of a run for a monitor: the same for the same name at every
// time (RFC 9562, version 5).
func RID(name string) string {
	sum := sha1.Sum(append(space[:], name...))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
