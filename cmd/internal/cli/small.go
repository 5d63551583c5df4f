package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs/schema"
)

func (a *app) renderCommand() *cobra.Command {
	var outputs []string
	cmd := &cobra.Command{
		Use: "render [FILE]", Short: "a saved JSON report in another form",
		Long:    "Shows a report that was saved with rolecall audit -o json. In the same folder it\ngives the same bytes as the audit did; nothing is looked at. The exit code is 0\nwhatever the report says.",
		Example: "  rolecall render < report.json\n  rolecall render -o sarif=rolecall.sarif -o markdown report.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := parseOutputs(outputs, reportFormats(), "text")
			if err != nil {
				return err
			}
			r, err := a.savedReport(args)
			if err != nil {
				return usage(err)
			}
			return a.publish(r, out)
		},
	}
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: "+strings.Join(reportFormats(), ", ")+" (default text)")
	return cmd
}

func (a *app) savedReport(args []string) (report.Report, error) {
	in, name := a.In, "standard input"
	if len(args) == 1 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return report.Report{}, err
		}
		defer f.Close()
		in, name = f, args[0]
	}
	r, err := report.Decode(in)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema " + strings.Join(schema.Names(), "|"), Short: "the JSON Schema of a format",
		Args: cobra.MatchAll(func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(schema.Names(), args[0]) {
				return usage(fmt.Errorf("schema takes one of %s", strings.Join(schema.Names(), ", ")))
			}
			return nil
		}),
		ValidArgs: schema.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.write([]output{{}}, func(_ string, w io.Writer) error {
				_, err := w.Write(schema.Get(args[0]))
				return err
			})
		},
	}
}
