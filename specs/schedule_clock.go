package specs

// clock is how a program treats the slots of skipped and repeated hours.
type clock uint8

const clockWall clock = iota

func clockRule(d Dialect, p *plan) clock { return clockWall }

func (p *plan) clockTag(zone string, rule clock) string { return "" }
