package specs

import "fmt"

// In writes the schedule as text that another dialect's program reads as the
// same instants; the zone stays beside it. An error says why it cannot.
func (s Schedule) In(d Dialect) (string, error) {
	if s.plan == nil {
		return "", fmt.Errorf("schedule %.200q was not read; read it first", s.Text)
	}
	got, err := ParseSchedule(d, s.Text, s.Zone)
	if err != nil {
		return "", err
	}
	if got.Canonical() != s.Canonical() {
		return "", fmt.Errorf("schedule %.200q means something else under %s; write its times as numbers", s.Text, d)
	}
	return s.Text, nil
}
