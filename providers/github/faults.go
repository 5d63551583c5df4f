package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// trouble is why something was not read, in the terms of coverage.
type trouble struct {
	state  providers.AreaState
	reason string
	// limit says that GitHub will answer nothing else for a while.
	limit bool
	// large says that less may be asked for at once.
	large bool
	// status is the HTTP status, 0 without an answer.
	status int
}

func (t *trouble) Error() string { return t.reason }

func failed(format string, args ...any) *trouble {
	return &trouble{state: providers.Failed, reason: fmt.Sprintf(format, args...)}
}

// explain sorts an error of the client. The client's own kinds do not suffice:
// it takes a 429, and a 403 that names the secondary limit only in its message,
// for ordinary errors (go-github v62, CheckResponse).
func (a *asker) explain(err error) *trouble {
	var own *trouble
	var rate *gh.RateLimitError
	var abuse *gh.AbuseRateLimitError
	var accepted *gh.AcceptedError
	var answer *gh.ErrorResponse
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &rate):
		return primaryLimit(rate)
	case errors.As(err, &abuse):
		return secondaryLimit(abuse.Response, abuse.RetryAfter)
	case errors.As(err, &accepted):
		return failed("GitHub is still preparing the answer (202); run the audit again")
	case errors.As(err, &answer) && answer.Response != nil:
		return a.explainAnswer(answer)
	}
	return explainTransport(err)
}

func primaryLimit(e *gh.RateLimitError) *trouble {
	t := failed("the limit of %d requests an hour is used up%s; run the audit again after that, or use a token with a higher limit", e.Rate.Limit, until(e.Rate.Reset.Time))
	t.limit, t.status = true, http.StatusForbidden
	return t
}

func secondaryLimit(r *http.Response, after *time.Duration) *trouble {
	t := failed("GitHub's secondary limit is reached: too many requests in a short time%s; run the audit again after that", retryAt(r, after))
	t.limit, t.status = true, http.StatusForbidden
	return t
}

func until(t time.Time) string {
	if t.IsZero() || t.Unix() == 0 {
		return ""
	}
	return " until " + t.UTC().Format(time.RFC3339)
}

// retryAt says when to come again, by the server's own clock.
func retryAt(r *http.Response, after *time.Duration) string {
	if r != nil && after == nil {
		after = retryAfter(r)
	}
	if after == nil {
		if r != nil && r.Header.Get("X-RateLimit-Remaining") == "0" {
			if sec, err := strconv.ParseInt(r.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
				return until(time.Unix(sec, 0))
			}
		}
		return ""
	}
	if r != nil {
		if now, err := http.ParseTime(r.Header.Get("Date")); err == nil {
			return until(now.Add(*after))
		}
	}
	return fmt.Sprintf(" for %s", after.Round(time.Second))
}

// retryAfter reads the header of that name, seconds or a date beside the date
// of the answer (RFC 9110, section 10.2.3); nil if it says nothing.
func retryAfter(r *http.Response) *time.Duration {
	text := r.Header.Get("Retry-After")
	if sec, err := strconv.ParseUint(text, 10, 31); err == nil {
		d := time.Duration(sec) * time.Second
		return &d
	}
	at, err := http.ParseTime(text)
	now, noDate := http.ParseTime(r.Header.Get("Date"))
	if err != nil || noDate != nil {
		return nil
	}
	d := max(at.Sub(now), 0)
	return &d
}

var secondaryWords = lazy.Expression(`(?i)secondary rate limit|abuse detection|rate limit exceeded`)

// tokenVariable is where the client's token comes from, as with gh: one for
// github.com is sent to no other server.
func (a *asker) tokenVariable() string {
	if a.client.BaseURL.Host == "api.github.com" {
		return "GH_TOKEN"
	}
	return "GH_ENTERPRISE_TOKEN"
}

func (a *asker) explainAnswer(e *gh.ErrorResponse) *trouble {
	r := e.Response
	if r.StatusCode == http.StatusTooManyRequests ||
		r.StatusCode == http.StatusForbidden && (secondaryWords().MatchString(e.Message) || r.Header.Get("Retry-After") != "") {
		t := secondaryLimit(r, nil)
		t.status = r.StatusCode
		return t
	}
	t := &trouble{state: providers.Failed, status: r.StatusCode}
	said := quoted(e.Message)
	switch code := r.StatusCode; {
	case code == http.StatusUnauthorized:
		t.state, t.reason = providers.Denied, "GitHub refuses the token (401"+said+"); set "+a.tokenVariable()+" to a valid one"
	case code == http.StatusForbidden && r.Header.Get("X-GitHub-SSO") != "":
		t.state, t.reason = providers.Denied, "the token is not authorised for the organisation's single sign-on (403); authorise it in GitHub's token settings"
	case code == http.StatusForbidden:
		t.state, t.reason = providers.Denied, "GitHub denies access (403"+said+")"+accepted(r)+"; give the token read access to contents, actions and metadata"
	case code == http.StatusNotFound:
		t.state, t.reason = providers.Denied, "not visible to this token (404); check the name, and that the token may read it"
	case code == http.StatusUnavailableForLegalReasons:
		t.state, t.reason = providers.Denied, "GitHub has blocked it for legal reasons (451"+said+")"
	case code >= 500:
		t.reason = fmt.Sprintf("GitHub failed (%d%s); run the audit again", code, said)
		t.large = code == http.StatusBadGateway || code == http.StatusGatewayTimeout
	default:
		t.reason = fmt.Sprintf("GitHub gave an unexpected answer (%d%s); run the audit again", code, said)
	}
	return t
}

// quoted is a message of the server in short, for a reason.
func quoted(message string) string {
	if message == "" {
		return ""
	}
	return ": " + short(message)
}

// accepted are the permissions that GitHub would have taken.
func accepted(r *http.Response) string {
	if p := r.Header.Get("X-Accepted-GitHub-Permissions"); p != "" {
		return ", it asks for " + strings.TrimPrefix(quoted(p), ": ")
	}
	return ""
}

func explainTransport(err error) *trouble {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return failed("not reached: the audit was interrupted; run it again")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return failed("GitHub did not answer in time; run the audit again, or with a longer --timeout")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return failed("the answer broke off; run the audit again")
	case errors.As(err, &syntax), errors.As(err, &mistyped):
		return failed("the answer is not what GitHub's API gives: %v; check the API's address, and that no proxy answers for it", err)
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return failed("no answer from GitHub: %v; check the network and the API's address", err)
}
