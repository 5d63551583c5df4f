package kubernetes

import "strconv"

// quote shows a text from outside, cut to a length that fits a message.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}
