package browsertest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// pages are the reports that are opened: the shop of the README, a large one, and
// one in which every text tries to be more than text.
func pages(t testing.TB) map[string]string {
	t.Helper()
	dir := t.TempDir()
	out := map[string]string{}
	for name, r := range map[string]report.Report{"shop": shop(t), "large": large(2000), "hostile": hostile()} {
		var b bytes.Buffer
		if err := render.HTML(&b, r); err != nil {
			t.Fatal(err)
		}
		out[name] = filepath.Join(dir, name+".html")
		if err := os.WriteFile(out[name], b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

var all = flag.Bool("all", false, "also do what takes minutes")

var saved = flag.String("report", "", "take this saved report in place of an audit of the shop")

// shop is the audit of the README's example.
func shop(t testing.TB) report.Report {
	t.Helper()
	if *saved != "" {
		out, err := os.ReadFile(*saved)
		if err != nil {
			t.Fatal(err)
		}
		return decoded(t, out)
	}
	cmd := exec.Command("go", "run", "./cmd/rolecall", "audit", "--offline", "--config", "testdata/shop/rolecall.yaml", "--now", "2026-11-25T12:00:00Z", "-o", "json")
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	// It has findings, so its exit code is not 0.
	out, err := cmd.Output()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended || len(out) == 0 {
		t.Fatal(err, errs.String())
	}
	return decoded(t, out)
}

func decoded(t testing.TB, form []byte) report.Report {
	t.Helper()
	r, err := report.Decode(bytes.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var now = time.Date(2026, 11, 25, 12, 7, 0, 0, time.UTC)

// large has n roles in five sources, every seventh with a finding.
func large(n int) report.Report {
	r := report.Report{
		Schema: report.Schema, Tool: report.Tool{Name: "rolecall", Version: "0.1.0"}, Mode: "live", ObservedAt: now, Canonicalisation: "rc1",
		Ledger: report.Ledger{Path: "ledger.yaml", Name: "plant", Revision: 3}, Verdict: report.Findings, ExitCode: 1, FailOn: report.Gating(),
	}
	kinds := report.Catalogue()
	crons := []string{"* * * * *", "*/5 * * * *", "0 * * * *", "0 3 * * *", "17 4 * * *", "30 22 * * 1-5", "0 0 * * *", "45 6-18 * * *", "0 3 * * *", "7,13,55 9-17 * * *"}
	for i := range n {
		source := fmt.Sprintf("cluster-%d", i%5)
		role := report.Role{
			Role: fmt.Sprintf("job-%04d", i), Source: source, State: report.OK, Owner: fmt.Sprintf("team-%02d", i%37), Version: fmt.Sprint(i % 9),
			Purpose: "keeps something of the shop in order", Stages: report.Stages{Registered: "yes"}, Location: specs.Pos{File: "ledger.yaml", Line: 10 + 6*i},
		}
		role.Schedule = crons[i%len(crons)]
		sched, err := specs.ParseSchedule(specs.Kubernetes, role.Schedule, "UTC")
		if err != nil {
			panic(err)
		}
		spec := specs.Spec{Schedules: []specs.Schedule{sched}}
		minutes, _ := spec.DueMinutes(r.DayStart(), report.DayMinutes)
		role.Next24h = report.NewDay(r.DayStart(), minutes)
		if due, ok := spec.NextDue(now); ok {
			s := due.Format(time.RFC3339)
			role.NextDue = &s
		}
		object := "kubernetes:" + source + "/batch/" + role.Role
		if i%7 == 0 {
			k := kinds[i/7%len(kinds)].Kind
			f := report.Finding{
				ID: string(k) + ":" + role.Role + "@" + source, Kind: k, Role: role.Role, Source: source, Owner: role.Owner, Confirmed: true, Reason: "made-up",
				Message: object + " is not as the ledger states", Objects: []string{object}, Location: role.Location, NextStep: k.Entry().NextStep,
			}
			if k == report.Drift {
				f.Fields = []report.Field{{Object: object, Path: "schedule", Desired: role.Schedule, Observed: "*/10 * * * *"}, {Object: object, Path: "args[2]", Desired: "--since yesterday --workers 8", Observed: "--since yesterday --workers 16"}}
			}
			switch k {
			case report.Unexpected:
				f.Role, f.ID = "", "unexpected:"+object
			case report.Version, report.Removed: // which are no states
			default:
				role.State = report.State(k)
			}
			r.Findings = append(r.Findings, f)
		}
		role.Objects = []string{object}
		climb(&role, i)
		r.Roles = append(r.Roles, role)
	}
	for i := range 5 {
		r.Coverage = append(r.Coverage, report.Coverage{Source: fmt.Sprintf("cluster-%d", i), Provider: "kubernetes", Part: "namespace/batch", State: "read", Objects: n / 5})
	}
	count(&r)
	return r
}

// climb gives a role some ladder.
func climb(x *report.Role, i int) {
	states := []report.Stage{report.Yes, report.Late, report.Stale, report.Never, report.NotDue, report.NotTracked, report.Unseen}
	x.Stages.Executed, x.Stages.Succeeded, x.Stages.Progressed = states[i%7], states[i/7%7], states[i/49%7]
	start, success := now.Unix()-int64(i*97), now.Unix()-int64(i*1009)
	x.Seen = report.Seen{LastStart: &start, LastSuccess: &success, From: []string{"status.lastSuccessfulTime"}}
}

func count(r *report.Report) {
	s := report.Summary{Roles: len(r.Roles), Objects: len(r.Roles)}
	by := map[report.State]*int{
		report.OK: &s.OK, "missing": &s.Missing, "duplicate": &s.Duplicate, "ambiguous": &s.Ambiguous, "inactive": &s.Inactive, "drift": &s.Drift,
		"not-executed": &s.NotExecuted, "hung": &s.Hung, "not-succeeded": &s.NotSucceeded, "stalled": &s.Stalled,
		"unknown": &s.Unknown, "unreviewed": &s.Unreviewed, report.OutOfScope: &s.OutOfScope,
	}
	for _, x := range r.Roles {
		*by[x.State]++
	}
	for _, f := range r.Findings {
		if f.Kind == report.Unexpected {
			s.Unexpected++
		}
	}
	r.Summary = s
}

// hostile has a text in every place that would be noticed if it were read as
// anything but text.
func hostile() report.Report {
	r := large(24)
	evil := `"'><script>console.log("in")</script><img src=x onerror=console.log("in")><a href=https://evil.example>x</a></style></title><!-- ` + "\x1b[2J\u202e\x00\xff `${1}` {{.}} &lt;"
	r.Ledger.Name, r.Ledger.Path, r.Tool.Version = evil, evil, evil
	for i := range r.Roles {
		x := &r.Roles[i]
		x.Role, x.Owner, x.Purpose, x.Version, x.Schedule, x.Location.File = fmt.Sprint(i, evil), evil, evil, evil, evil, evil
		x.Seen.From = []string{evil, evil}
		x.Cosmetic = []report.Field{{Path: evil, Desired: evil, Observed: evil + evil, Cosmetic: true}}
		x.Ignored = []report.Ignored{{Field: report.Field{Path: evil, Desired: evil, Observed: ""}, Rule: evil, Reason: evil}}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.ID, f.Role, f.Owner, f.Reason, f.Message, f.NextStep, f.Hints, f.Objects = fmt.Sprint(i, evil), fmt.Sprint(i*7, evil), evil, evil, evil, evil, []string{evil}, []string{evil}
		f.Fields = []report.Field{{Object: evil, Path: evil, Desired: evil, Observed: evil + "x"}}
		f.Waiver = &report.Waiver{Reason: evil, Owner: evil, Until: evil, Ended: i%2 == 0}
	}
	r.Coverage = append(r.Coverage, report.Coverage{Source: evil, Provider: evil, Part: evil, State: evil, Reason: evil})
	r.Notes = append(r.Notes, report.Note{Code: evil, Source: evil, Message: evil})
	return r
}

// widest are the elements that stand out on the right, in no box of their own that
// is scrolled.
const widest = `[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, .off')).map((e) => e.outerHTML.slice(0, 90)).slice(0, 5).join('\n')`

// TestPage opens each report in both themes, wide and narrow. Of the large one
// axe-core sees what a filter leaves, since all of it takes it minutes; with -all it
// sees all.
func TestPage(t *testing.T) {
	code, ctx, files := axe(t), browser(t), pages(t)
	for _, name := range []string{"shop", "hostile", "large"} {
		for _, width := range []int{360, 1440} {
			for _, theme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s-%s-%d", name, theme, width), func(t *testing.T) {
					b := open(t, ctx, files[name], width, theme == "dark")
					if wide := b.number("document.documentElement.scrollWidth"); wide > width {
						t.Errorf("the page is %d wide and is scrolled sideways: %s", wide, b.text(widest))
					}
					b.shot(t.Name()[len("TestPage/"):], width)
					if name == "large" && !*all {
						b.find("job-01", 100)
						b.js("for (const e of document.querySelectorAll('main [hidden][data-s]')) { e.remove(); }")
					}
					b.accessible(code)
					b.silent()
				})
			}
		}
	}
}

const shownRoles = "document.querySelectorAll('tbody > tr[id]:not([hidden])').length"

// slash presses that key as a keyboard does: the letter comes only if the page does
// not take the key for itself.
func (b *tab) slash() {
	b.t.Helper()
	key := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Code: "Slash", Text: "/", UnmodifiedText: "/", WindowsVirtualKeyCode: 191}
	call(b, input.DispatchKeyEvent, key)
	key.Type, key.Text, key.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	call(b, input.DispatchKeyEvent, key)
}

// find types into the filter, and waits until so many roles are left.
func (b *tab) find(text string, roles int) {
	b.t.Helper()
	b.slash()
	b.do(chromedp.KeyEvent(text))
	b.until(fmt.Sprintf("%s === %d", shownRoles, roles))
}

// TestByHand does what a person does without a mouse.
func TestByHand(t *testing.T) {
	ctx, files := browser(t), pages(t)
	for name, role := range map[string]string{"shop": "retry", "large": "job-0777"} {
		t.Run(name, func(t *testing.T) {
			b := open(t, ctx, files[name], 1440, false)
			total := b.number(shownRoles)
			b.do(chromedp.KeyEvent(kb.Tab))
			if got := b.text("document.activeElement.textContent"); got != "Skip to the report" {
				t.Errorf("the first stop is %q", got)
			}
			b.find(role, 1)
			if got := b.text("document.querySelector('tbody > tr[id]:not([hidden])').textContent"); !strings.Contains(got, role) {
				t.Errorf("%q is not %s", got, role)
			}
			if got := b.text("document.getElementById('count').textContent"); !strings.HasPrefix(got, "Shown: 1 of ") || !strings.Contains(got, ", 1 of ") {
				t.Errorf("the count says %q", got)
			}
			b.shot("filtered-"+name, 1440)
			b.do(chromedp.KeyEvent(kb.Escape))
			b.until(fmt.Sprintf("%s === %d", shownRoles, total))
			b.find("nothing is called so", 0)
			if n := b.number("[...document.querySelectorAll('.nothing')].filter((e) => e.checkVisibility()).length"); n != 2 {
				t.Errorf("%d parts say that nothing fits", n)
			}
			b.do(chromedp.KeyEvent(kb.Escape))
			for _, by := range []string{"kind", "source", "owner"} {
				b.js("{ const s = document.getElementById('" + by + "'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); }")
				if n := b.number(shownRoles); n == 0 && by != "owner" || n >= total {
					t.Errorf("one %s has %d of %d roles", by, n, total)
				}
				b.js("document.getElementById('clear').click(); document.activeElement.blur()")
			}
			b.find(role, 1)
			b.js("location.hash = document.querySelector('tbody > tr[hidden]').id")
			b.until(fmt.Sprintf("%s === %d", shownRoles, total))
			back := map[string]string{}
			b.do(chromedp.Focus(chromedp.CSS("#theme")))
			for range 3 { // it may begin with any, since it is remembered
				b.do(chromedp.KeyEvent(kb.Enter))
				back[b.text("document.getElementById('theme').textContent")] = b.text("getComputedStyle(document.body).backgroundColor")
			}
			if len(back) != 3 || back["Theme: light"] == back["Theme: dark"] || back["Theme: light"] != back["Theme: system"] {
				t.Errorf("the themes are %v", back)
			}
			b.silent()
		})
	}
}

// TestFaults: what the tests here look for, they see.
func TestFaults(t *testing.T) {
	code, ctx, files := axe(t), browser(t), pages(t)
	data, err := os.ReadFile(files["shop"])
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		old, new string
		seen     func(b *tab) bool
	}{
		"a field without a label": {`<label for="kind">`, `<label for="other">`, func(b *tab) bool { return len(b.violations(code)) > 0 }},
		"no language":             {`<html lang="en">`, `<html>`, func(b *tab) bool { return len(b.violations(code)) > 0 }},
		"a style of its own":      {`<main `, `<main style="color: red" `, func(b *tab) bool { return len(b.complaints()) > 0 }},
		"a changed style":         {`<style>`, `<style> `, func(b *tab) bool { return len(b.complaints()) > 0 }},
		"a script more":           {`<main `, `<script>document.title = "x"</script><main `, func(b *tab) bool { return len(b.complaints()) > 0 }},
		"a picture":               {`<main `, `<img alt="" src="https://picture.invalid/x.png"><main `, func(b *tab) bool { return len(b.complaints()) > 0 }},
		"a handler":               {`<body>`, `<body onload="document.title = 1">`, func(b *tab) bool { return len(b.complaints()) > 0 }},
		"a wide table":            {`<div class="scroll"`, `<div class="wider"`, func(b *tab) bool { return b.number("document.documentElement.scrollWidth") > 360 }},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(string(data), c.old, c.new, 1)
			if bad == string(data) {
				t.Fatalf("the page has no %s", c.old)
			}
			file := filepath.Join(t.TempDir(), "bad.html")
			if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
				t.Fatal(err)
			}
			if b := open(t, ctx, file, 360, false); !c.seen(b) {
				t.Error("is not seen")
			}
		})
	}
}

// TestWithoutScript has all in sight.
func TestWithoutScript(t *testing.T) {
	ctx, files := browser(t), pages(t)
	data, err := os.ReadFile(files["shop"])
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "still.html")
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), "script-src", "script-src-elem 'none'; script-src", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	b := load(t, ctx, file, 1440, false)
	if n := b.number("[...document.querySelectorAll('article.card, tbody > tr')].filter((e) => !e.checkVisibility()).length"); n != 0 {
		t.Errorf("%d entries are not in sight", n)
	}
	if n := b.number("[...document.querySelectorAll('button, input, select')].filter((e) => e.checkVisibility()).length"); n != 0 {
		t.Errorf("%d controls are there that do nothing", n)
	}
}

// TestPrint has all that is folded on paper.
func TestPrint(t *testing.T) {
	ctx, files := browser(t), pages(t)
	for _, name := range []string{"shop", "hostile", "large"} {
		if name == "large" && !*all {
			continue // it takes a minute
		}
		b := open(t, ctx, files[name], 1440, true)
		pdf := b.print()
		b.keep(name+".pdf", pdf)
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 10_000 {
			t.Errorf("%s: no PDF: %d bytes", name, len(pdf))
		}
		if n := b.number("document.querySelectorAll('details[open]').length"); n != 0 {
			t.Errorf("%s: %d folds stay open after printing", name, n)
		}
		b.silent()
	}
}
