package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// judge says how well an area was seen whose list ended in an error, and why.
// Begun says that some of it was read.
func judge(ctx context.Context, err error, begun bool, namespace string) (providers.AreaState, string) {
	reason := reasonOf(ctx, err, "cronjobs.batch", namespace)
	switch {
	case begun:
		return providers.Partial, reason
	case ctx.Err() != nil:
		return providers.Failed, reason
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return providers.Denied, reason
	case apierrors.IsNotFound(err):
		return providers.Missing, reason
	}
	return providers.Failed, reason
}

// reasonOf says in a person's words what stood in the way, and the next step.
// It never holds a header or the body of an answer that is not the API server's
// own, in which a proxy may repeat a token.
func reasonOf(ctx context.Context, err error, resource, namespace string) string {
	where := "in the whole cluster"
	if namespace != "" {
		where = "in namespace " + namespace
	}
	var netErr net.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "the time ran out before the list was read; give more with --timeout"
	case ctx.Err() != nil:
		return "interrupted before the list was read; run it again"
	case apierrors.IsUnauthorized(err):
		return "the server does not accept the credentials (401); log in again, or check the context's user"
	case apierrors.IsForbidden(err):
		return fmt.Sprintf("the user may not list %s %s (403%s); grant get and list on %s there, as the ClusterRole view does", resource, where, serverSays(err), resource)
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("the server does not know %s in batch/v1 (404%s); it is older than Kubernetes 1.21, or the address is not that of an API server", resource, serverSays(err))
	case apierrors.IsResourceExpired(err):
		return "the list expired before it was read to its end (410); run it again"
	case apierrors.IsTooManyRequests(err):
		return "the server has too many requests (429); run it again later"
	case errors.As(err, &netErr) && netErr.Timeout():
		return "the server did not answer in time; give it more with --request-timeout"
	}
	if status := statusOf(err); status != nil {
		return fmt.Sprintf("the server failed (%s%s); look at its health, and run it again", code(status), serverSays(err))
	}
	return shorten(hideTokens(bare(err).Error())) + "; check the connection to the server, and run it again"
}

func code(s *metav1.Status) string {
	return fmt.Sprintf("%d %s", s.Code, http.StatusText(int(s.Code)))
}

func statusOf(err error) *metav1.Status {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return nil
	}
	s := api.Status()
	return &s
}

// ownAnswer says that an error is the API server's own word, and not made by
// client-go of an answer that it could not read.
func ownAnswer(err error) bool {
	s := statusOf(err)
	if s == nil {
		return false
	}
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			if c.Type == metav1.CauseTypeUnexpectedServerResponse {
				return false
			}
		}
	}
	return true
}

func serverSays(err error) string {
	if !ownAnswer(err) {
		return ", and not from an API server"
	}
	return ": " + shorten(hideTokens(statusOf(err).Message))
}

// bare takes off the request, whose URL is long and says nothing more, and the
// connection's own address, which is another each time.
func bare(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Source != nil {
		return fmt.Errorf("%s %s: %w", op.Op, op.Addr, op.Err)
	}
	return err
}

var bearer = lazy.Expression(`(?i)(bearer|basic|token)[ =:]+\S+`)

// hideTokens takes out what looks like a credential.
func hideTokens(s string) string { return bearer().ReplaceAllString(s, "$1 ***") }

// shorten keeps a text of a server to a length that people read, whole runes.
func shorten(s string) string {
	const limit = 300
	runes := 0
	for i := range s {
		if runes == limit {
			return s[:i] + " …"
		}
		runes++
	}
	return s
}
