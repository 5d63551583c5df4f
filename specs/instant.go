package specs

import (
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// instant is the form of RFC 3339, in whose offsets hours go up to 23 and minutes
// up to 59. Go's time.Parse takes 24 and 60, a comma, and an hour of one digit too.
var instant = lazy.Expression(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseInstant reads an instant as RFC 3339 writes it, with a capital T and Z.
func ParseInstant(text string) (time.Time, error) {
	if !instant().MatchString(text) {
		return time.Time{}, fmt.Errorf("%q is no instant; write one like 2027-01-10T09:00:00Z", text)
	}
	return time.Parse(time.RFC3339, text)
}
