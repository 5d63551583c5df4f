package github

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v62/github"
)

// graphqlPath is where the GraphQL API of a server stands, from the base of its
// REST API: beside /api/v3/ on a server of one's own, below the root of
// github.com's (GraphQL reference, forming calls).
func graphqlPath(client *gh.Client) string {
	base := *client.BaseURL
	if root, ok := strings.CutSuffix(base.Path, "/api/v3/"); ok {
		base.Path = root + "/api/graphql"
		return base.String()
	}
	base.Path += "graphql"
	return base.String()
}

// refusal is one of the errors beside a GraphQL answer.
type refusal struct {
	Type    string `json:"type"`
	Path    []any  `json:"path"`
	Message string `json:"message"`
}

// graphql asks one query. What the server refused of it is given beside what it
// answered: a part that may not be seen leaves the rest whole.
func (a *asker) graphql(query string, variables map[string]any, into any) ([]refusal, error) {
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []refusal       `json:"errors"`
	}
	_, err := a.ask(func(ctx context.Context) (*gh.Response, error) {
		req, err := a.client.NewRequest(http.MethodPost, graphqlPath(a.client), map[string]any{"query": query, "variables": variables})
		if err != nil {
			return nil, err
		}
		if err := a.exchange(req.WithContext(ctx), &answer); err != nil {
			return nil, err
		}
		if len(answer.Data) == 0 || bytes.Equal(answer.Data, []byte("null")) {
			return nil, refused(answer.Errors)
		}
		return nil, nil
	})
	if err != nil {
		return answer.Errors, err
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return answer.Errors, failed("the answer is not what GitHub's GraphQL API gives: %v; check the API's address", err)
	}
	return answer.Errors, nil
}

// exchange goes past the client, which would take what GraphQL's own limits leave
// on a server of one's own for what is left to the REST API (go-github v62,
// GetRateLimitCategory knows only the path of github.com).
func (a *asker) exchange(req *http.Request, into any) error {
	resp, err := a.client.Client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := gh.CheckResponse(resp); err != nil {
		return err
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// refused is a query of which nothing was answered.
func refused(errors []refusal) error {
	if len(errors) == 0 {
		return emptyAnswer("data")
	}
	t := failed("GitHub refuses the query%s; run the audit again", quoted(errors[0].Message))
	t.limit = errors[0].Type == "RATE_LIMITED"
	t.large = !t.limit && strings.Contains(errors[0].Type, "LIMIT")
	return t
}
