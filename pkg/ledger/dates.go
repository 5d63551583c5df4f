package ledger

import (
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// ParseUntil reads an end: a day, which is included whole (UTC), or an instant
// of RFC 3339. The result is the first moment after it, exclusive.
func ParseUntil(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	return parseInstant(text)
}

func parseInstant(text string) (time.Time, error) {
	t, err := specs.ParseInstant(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is not a time; write an instant like 2027-01-10T09:00:00Z, or where an end is wanted a day like 2027-01-10", strict.Quote(text))
	}
	return t.UTC(), nil
}
