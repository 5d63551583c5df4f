package specs

// ZoneNames are the names of the time zone database, sorted, without old
// spellings and aliases.
func ZoneNames() []string {
	var out []string
	for _, z := range zoneNames {
		if z.shown == "" {
			out = append(out, z.name)
		}
	}
	return out
}
