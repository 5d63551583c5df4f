// Package ping tells an outside monitor that a job has started and how it ended.
//
// The monitor is addressed as Healthchecks is: URL/start, URL, URL/fail,
// URL/EXIT-CODE and URL/log, with rid=UUID for the run, so that starts and ends
// of runs that overlap are paired (healthchecks.io/docs/http_api). One that is
// addressed otherwise is given up to four addresses one by one.
//
// A ping is bounded, and what becomes of it changes nothing: a monitor that
// cannot be reached is a matter for a warning. Addresses are secrets, since who
// has one can say that all is well; no error names more of one than its host.
package ping
