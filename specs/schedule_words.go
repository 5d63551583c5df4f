package specs

// Words says in English when the schedule is due: what the canonical form
// says, no more and no less.
func (s Schedule) Words() string { return s.Canonical() }
