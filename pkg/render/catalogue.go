package render

import (
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// CatalogueMarkdown is the table of all kinds of finding, as the README shows it.
func CatalogueMarkdown() string {
	var b strings.Builder
	b.WriteString("| kind | severity | meaning | what to look at first |\n|---|---|---|---|\n")
	for _, e := range report.Catalogue() {
		b.WriteString("| `" + string(e.Kind) + "` | " + e.Severity + " | " + e.Meaning + " | " + e.NextStep + " |\n")
	}
	return b.String()
}

// FormatsMarkdown is the table of all forms of a report, as the README shows it.
func FormatsMarkdown() string {
	var b strings.Builder
	b.WriteString("| format | for |\n|---|---|\n")
	for _, f := range Formats() {
		b.WriteString("| `" + f.Name + "` | " + f.For + " |\n")
	}
	return b.String()
}
