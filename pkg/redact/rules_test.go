package redact

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

var update = flag.Bool("update", false, "write detector.json anew")

// guesses is the one rule that knows no token's form, but goes by names and
// likelihood. Its exceptions are kept; those of the others are examples from
// manuals, which are masked too.
const guesses = "generic-api-key"

// detectorFile is what is used of the detector's own file.
type detectorFile struct {
	Rules []struct {
		ID          string
		Regex       string
		Keywords    []string
		Entropy     float64
		SecretGroup int `toml:"secretGroup"`
		Allowlists  []struct{ Regexes []string }
	}
}

// The rules are those of the detector's version in go.mod, and no others. They
// are kept apart from it since its package brings its own reader of files, its
// log and what is not used of its rules into the program: a third of a megabyte,
// and a millisecond for whoever masks something.
func TestRulesAreTheDetectors(t *testing.T) {
	var theirs detectorFile
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &theirs); err != nil {
		t.Fatal(err)
	}
	ours := ruleFile{From: "gitleaks " + version(t) + ", config/gitleaks.toml: MIT License, Copyright (c) 2019 Zachary Rice"}
	for _, r := range theirs.Rules {
		if r.Regex == "" {
			continue
		}
		form := ruleForm{ID: r.ID, Regex: r.Regex, Keywords: r.Keywords, Entropy: r.Entropy, Group: r.SecretGroup}
		if r.ID == guesses {
			for _, a := range r.Allowlists {
				form.Except = append(form.Except, a.Regexes...)
			}
		}
		ours.Rules = append(ours.Rules, form)
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(ours); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("detector.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(ruleText, want.Bytes()) {
		t.Error("detector.json is not of the detector's version in go.mod; run this test with -update")
	}
}

// version is that of the detector in go.mod.
func version(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(mod), "github.com/zricethezav/gitleaks/v8 ")
	if !ok {
		t.Fatal("the detector is not in go.mod")
	}
	return strings.Fields(rest)[0]
}
