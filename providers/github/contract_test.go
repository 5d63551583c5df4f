package github

import (
	"testing"

	"github.com/rolecall-dev/rolecall/providers/providertest"
)

func TestContract(t *testing.T) {
	base := plant(t, map[string]string{
		".github/workflows/a.yml":      nightly,
		".github/workflows/bad.yml":    "on: {schedule: [",
		".github/workflows/refuse.yml": "on: {schedule: [{cron: 0 5 * *}]}",
		".github/workflows/two.yml":    "on:\n  schedule:\n    # rolecall: role=a\n    # - cron: x\n    - cron: 0 5 * * *\n",
	})
	c, err := NewCheckout(CheckoutConfig{Source: "ci", Base: base, Dir: ".", Repo: "acme/shop"})
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, c)

	f := newFake(t, append(fleet(), shop())...)
	f.repos[0].files["bad.yml"] = "on: {schedule: ["
	f.repos[1].workflows[0].state = "disabled_inactivity"
	p, err := New(f.client(t, t.TempDir(), "t0ken"), Config{Source: "ci", Repos: []string{"acme/*", "acme/gone", "beta/*"}, Each: parallel})
	if err != nil {
		t.Fatal(err)
	}
	providertest.Check(t, p)
}
