package browsertest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// shots is a folder for pictures, to be looked at by people.
var shots = flag.String("shots", "", "write screenshots and printed pages to this folder")

// missing skips a test where a part is not installed, or fails it where all parts
// are required.
func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("ROLECALL_REAL") == "require" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func axe(t testing.TB) string {
	t.Helper()
	where, err := exec.Command("./axe.sh", "--where").Output()
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(strings.TrimSpace(string(where)))
	if err != nil {
		missing(t, "axe-core is not here; fetch it with ./axe.sh")
	}
	return string(code)
}

// browser starts Chromium with nothing of its own to fetch.
func browser(t testing.TB) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		missing(t, "no chromium is installed")
	}
	opts := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-gpu", true))
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// tab is a page that was opened from disk, and all that it asked for or complained
// of.
type tab struct {
	t   testing.TB
	ctx context.Context
	mu  sync.Mutex
	bad []string
	saw int // requests
}

// open loads a page and waits until its script has run.
func open(t testing.TB, ctx context.Context, file string, width int, dark bool) *tab {
	t.Helper()
	b := load(t, ctx, file, width, dark)
	b.until("!document.getElementById('theme').hidden || document.readyState === 'complete'")
	return b
}

func load(t testing.TB, ctx context.Context, file string, width int, dark bool) *tab {
	t.Helper()
	b := &tab{t: t}
	url := "file://" + file
	ctx, stop := chromedp.NewContext(ctx, chromedp.WithListener(func(event any) { b.listen(url, event) }))
	t.Cleanup(stop)
	b.ctx, stop = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.do(chromedp.EmulateViewport(int64(width), 900), chromedp.Navigate(url))
	return b
}

func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

func run[T any](b *tab, a chromedp.Action[T]) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *tab) listen(url string, event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.saw++
		if e.Request.URL != url && e.Request.URL != "data:," {
			b.bad = append(b.bad, "a request to "+e.Request.URL)
		}
	case *runtime.EventConsoleAPICalled:
		b.bad = append(b.bad, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.bad = append(b.bad, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.bad = append(b.bad, fmt.Sprintf("%s %s: %s", e.Entry.Source, e.Entry.Level, e.Entry.Text))
	}
}

// complaints are what was seen up to now.
func (b *tab) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.bad)
}

func (b *tab) silent() {
	b.t.Helper()
	for _, bad := range b.complaints() {
		b.t.Error(bad)
	}
	if b.saw == 0 {
		b.t.Error("not even the request for the file was seen")
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// js runs a script in the page.
func (b *tab) js(script string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](script))
}

func (b *tab) number(expression string) int {
	b.t.Helper()
	return run(b, chromedp.Evaluate[int](expression))
}

func (b *tab) text(expression string) string {
	b.t.Helper()
	return run(b, chromedp.Evaluate[string](expression))
}

// until waits for an expression to hold.
func (b *tab) until(expression string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		b.t.Fatalf("never: %s: %v", expression, err)
	}
}

// violation is what axe-core has found.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// violations runs axe-core with all its rules, also those of best practice.
func (b *tab) violations(axe string) []violation {
	b.t.Helper()
	b.js(axe)
	found := run(b, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	var out []violation
	if err := json.Unmarshal([]byte(found), &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// accessible holds the page to axe-core.
func (b *tab) accessible(axe string) {
	b.t.Helper()
	began := time.Now()
	for _, v := range b.violations(axe) {
		b.t.Errorf("%s (%s): %s: %s", v.ID, v.Impact, v.Help, v.Nodes[0].HTML)
	}
	b.t.Logf("axe-core took %s", time.Since(began).Round(time.Millisecond))
}

// shot is a picture of the page from its top, as high as a picture may be.
func (b *tab) shot(name string, width int) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	high := min(b.number("document.documentElement.scrollHeight"), 6000)
	b.do(chromedp.EmulateViewport(int64(width), int64(high)))
	b.js("scrollTo(0, 0)")
	b.keep(name+".png", run(b, chromedp.CaptureScreenshot()))
}

func (b *tab) keep(name string, data []byte) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	if err := os.MkdirAll(*shots, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) print() []byte {
	b.t.Helper()
	return run(b, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
}
