package specs

import "time"

// Next is the first due instant after one, in UTC, and false if there is none.
func (s Schedule) Next(after time.Time) (time.Time, bool) { return time.Time{}, false }
