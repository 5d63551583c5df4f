package ping

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Kind is what a ping says.
type Kind int

// The kinds.
const (
	Start   Kind = iota // a job begins
	Success             // it has ended, and all is well
	Fail                // it has ended otherwise
	Log                 // neither; a line for the monitor's history
)

// URLs are the addresses of one monitor. Base is one that is read as
// Healthchecks reads it; of the others each stands for one kind, as it is, and
// goes before Base. A kind that has no address is not sent.
//
// {role}, {rid} and {exit} in them stand for the role's key, the run's UUID and
// the exit code.
type URLs struct {
	Base, Start, Success, Fail, Log string
}

// IsZero says that no address is stated.
func (u URLs) IsZero() bool { return u == URLs{} }

// Check finds what is wrong with the addresses. The error shows none of them.
func (u URLs) Check() error {
	for _, a := range []struct{ name, text string }{
		{"the address", u.Base}, {"the address for starts", u.Start}, {"the address for successes", u.Success},
		{"the address for failures", u.Fail}, {"the address for the log", u.Log},
	} {
		if a.text == "" {
			continue
		}
		if err := check(a.text); err != nil {
			return fmt.Errorf("%s of the monitor %w", a.name, err)
		}
	}
	return nil
}

func check(text string) error {
	u, err := parse(fill(text, "role", "00000000-0000-0000-0000-000000000000", 0))
	switch {
	case err != nil:
		return errors.New("cannot be read; it is one like https://hc-ping.com/UUID, with %XX for what has a meaning in an address")
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("does not begin with https:// or http://")
	case u.Hostname() == "":
		return errors.New("names no host; it is one like https://hc-ping.com/UUID")
	case u.Fragment != "":
		return errors.New("has a # in it, behind which nothing is sent; write %23")
	}
	return nil
}

// parse hides the address that an error of the parser holds.
func parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the address cannot be read")
	}
	return u, nil
}

// fill puts a run's values in the place of their names.
func fill(text, role, rid string, exit int) string {
	return strings.NewReplacer("{role}", url.PathEscape(role), "{rid}", rid, "{exit}", strconv.Itoa(exit)).Replace(text)
}

// target is where a ping goes; nil if nowhere. plain says that the address was
// stated as it is, for a monitor that may know nothing of bodies.
func (u URLs) target(p Ping) (to *url.URL, plain bool, err error) {
	own := map[Kind]string{Start: u.Start, Success: u.Success, Fail: u.Fail, Log: u.Log}[p.Kind]
	if own != "" {
		to, err = parse(fill(own, p.Role, p.RID, p.Exit))
		return to, true, err
	}
	if u.Base == "" {
		return nil, false, nil
	}
	if to, err = parse(fill(u.Base, p.Role, p.RID, p.Exit)); err != nil {
		return nil, false, err
	}
	if end := suffix(p); end != "" {
		to = to.JoinPath(end)
	}
	if p.RID != "" && !strings.Contains(u.Base, "{rid}") {
		q := to.Query()
		q.Set("rid", p.RID)
		to.RawQuery = q.Encode()
	}
	return to, false, nil
}

// suffix is what a kind adds to the address. An exit code that is none of a
// process's is a failure all the same.
func suffix(p Ping) string {
	switch {
	case p.Kind == Start:
		return "start"
	case p.Kind == Log:
		return "log"
	case p.Kind == Fail && p.Exit > 0 && p.Exit < 256:
		return strconv.Itoa(p.Exit)
	case p.Kind == Fail:
		return "fail"
	}
	return ""
}
