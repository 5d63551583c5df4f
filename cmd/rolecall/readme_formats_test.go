package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// TestReadmeFormats holds the README's table of formats to the program's.
func TestReadmeFormats(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), render.FormatsMarkdown()) {
		t.Errorf("the table of formats is not the program's:\n%s", render.FormatsMarkdown())
	}
}
