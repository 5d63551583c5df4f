package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

// checkout is the working folder and the top of the git checkout that it is in,
// or the working folder itself where there is none: formats that a CI system
// reads name files from there.
func checkout() render.Place {
	dir, err := os.Getwd()
	if err != nil {
		return render.Place{}
	}
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return render.Place{Dir: dir, Root: top}
		}
		if top == filepath.Dir(top) {
			return render.Place{Dir: dir, Root: dir}
		}
	}
}

// stepSummary adds the tables to the summary of a workflow's step, where the
// annotations go to its log. The file belongs to the step, and what other
// commands wrote to it stays.
func (a *app) stepSummary(r report.Report, outputs []output) error {
	file := a.getenv("GITHUB_STEP_SUMMARY")
	if file == "" || !slices.ContainsFunc(outputs, func(o output) bool { return o.format == "github" }) {
		return nil
	}
	if err := appendSummary(file, r); err != nil {
		return internal(fmt.Errorf("GITHUB_STEP_SUMMARY: %w; unset it to write annotations alone", err))
	}
	return nil
}

func appendSummary(file string, r report.Report) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if info.Size() > 0 {
		text.WriteString("\n\n") // whatever stands there, a paragraph of its own
	}
	room := render.SummaryRoom - int(min(info.Size(), render.SummaryRoom)) - text.Len()
	if err := render.Markdown(room)(&text, r); err != nil {
		return err
	}
	if _, err := f.Write(text.Bytes()); err != nil {
		return err
	}
	return f.Close()
}
