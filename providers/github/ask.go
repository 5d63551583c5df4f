package github

import (
	"context"
	"sync"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
)

// gate closes once GitHub has said that a limit is reached: what was not asked
// by then fails at once, with the same reason.
type gate struct {
	mu     sync.Mutex
	reason string
}

func (g *gate) closed() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reason
}

func (g *gate) close(reason string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reason == "" {
		g.reason = reason
	}
}

// asker asks one thing after the other for one part of the source.
type asker struct {
	ctx      context.Context
	client   *gh.Client
	gate     *gate
	requests int
}

// ask makes one request. Its error is always a *trouble.
func (a *asker) ask(request func(context.Context) (*gh.Response, error)) (*gh.Response, error) {
	if reason := a.gate.closed(); reason != "" {
		return nil, &trouble{state: providers.Failed, reason: "not reached: " + reason, limit: true}
	}
	if err := a.ctx.Err(); err != nil {
		return nil, a.explain(err)
	}
	a.requests++
	resp, err := shielded(a.ctx, request)
	if err == nil {
		return resp, nil
	}
	t := a.explain(err)
	if t.limit {
		a.gate.close(t.reason)
	}
	return resp, t
}

// shielded turns a panic of the client over an odd answer into an error.
func shielded(ctx context.Context, request func(context.Context) (*gh.Response, error)) (resp *gh.Response, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = failed("GitHub's answer made the client give up: %v; check the API's address", r)
		}
	}()
	return request(ctx)
}

// pages asks for page after page until there is no next one. It stops at the
// first page that fails; what was taken before stays taken.
func (a *asker) pages(page func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error)) error {
	opts := gh.ListOptions{PerPage: 100}
	for {
		resp, err := a.ask(func(ctx context.Context) (*gh.Response, error) { return page(ctx, opts) })
		if err != nil {
			return err
		}
		if resp.NextPage == 0 {
			return nil
		}
		if resp.NextPage <= opts.Page {
			return failed("page %d of the list names page %d as the next; run the audit again", opts.Page, resp.NextPage)
		}
		opts.Page = resp.NextPage
	}
}

// emptyAnswer is for a 200 that holds nothing, which the client lets pass.
func emptyAnswer(what string) *trouble {
	return failed("GitHub's answer holds no %s; run the audit again, and check the API's address", what)
}
