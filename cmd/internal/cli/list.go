package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

var listFormats = []string{"table", "wide", "json", "yaml", "csv"}

func (a *app) listCommand() *cobra.Command {
	var f targetFlags
	var outputs []string
	cmd := &cobra.Command{
		Use: "list", Short: "what the sources hold, without comparing it",
		Args: f.snapshotArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := parseOutputs(outputs, listFormats, "table")
			if err != nil {
				return err
			}
			return a.list(cmd, f, args, out)
		},
	}
	f.bind(cmd)
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: "+strings.Join(listFormats, ", ")+" (default table)")
	return cmd
}

func (a *app) snapshotCommand() *cobra.Command {
	var f targetFlags
	var outputs []string
	cmd := &cobra.Command{
		Use: "snapshot", Short: "save the listings of this moment as one JSON file",
		Long: "Saves what the sources hold, for an audit somewhere else: rolecall audit --snapshot FILE.\nSecrets are sealed in it: whether one changed can be seen, what it is can not.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := parseOutputs(outputs, []string{"json"}, "json")
			if err != nil {
				return err
			}
			return a.list(cmd, f, args, out)
		},
	}
	f.bind(cmd)
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "json[=FILE] (default json)")
	return cmd
}

// list looks once and shows what is there; what could not be seen ends it with
// the code for an incomplete look.
func (a *app) list(cmd *cobra.Command, f targetFlags, args []string, outputs []output) error {
	world, err := a.world(cmd, f, args)
	if err != nil {
		return err
	}
	write := a.write
	if len(outputs) == 1 && outputs[0] == (output{format: "csv"}) {
		write = a.stream
	}
	if err := write(outputs, a.listWriter(world)); err != nil {
		return err
	}
	code := exitClean
	for _, o := range world.Observations {
		for _, gap := range o.Gaps() {
			code = exitIncomplete
			fmt.Fprintf(a.Err, "rolecall: %s: %s: %s: %s\n", escapeLine(o.Source), escapeLine(gap.Part), gap.State, escapeLine(redact.Text(gap.Reason)))
		}
	}
	return exitWith(code)
}

// stream writes one output to the standard output while it is made, for a listing
// of any length whose making cannot fail.
func (a *app) stream(outputs []output, show func(format string, w io.Writer) error) error {
	out := bufio.NewWriterSize(a.Out, 64<<10)
	if err := cmp.Or(show(outputs[0].format, out), out.Flush()); err != nil {
		return internal(fmt.Errorf("standard output: %w", err))
	}
	return nil
}

// world looks at the sources in scope once.
func (a *app) world(cmd *cobra.Command, f targetFlags, args []string) (providers.World, error) {
	c, err := a.load(cmd)
	if err != nil {
		return providers.World{}, err
	}
	s, err := a.scope(c.Config, f, args)
	if err != nil {
		return providers.World{}, err
	}
	if len(s.sources) == 0 {
		return providers.World{}, usage(fmt.Errorf("no source is in scope: %s", s.why()))
	}
	return audit.Look(cmd.Context(), audit.Plan{Sources: s.sources, Now: a.now(), Timeout: c.Timeout, Mark: redact.Mark, Progress: a.progress()})
}

func (a *app) listWriter(world providers.World) func(string, io.Writer) error {
	return func(format string, w io.Writer) error {
		switch format {
		case "json":
			return a.inventory(w, world)
		case "yaml":
			return a.inventoryYAML(w, world)
		}
		rows := rowsOf(world, a.now())
		opts := render.TextOptions{Width: a.Width, Color: a.colour()}
		switch format {
		case "csv":
			return render.CSV(w, rows)
		case "wide":
			return render.Wide(w, rows, opts)
		}
		return render.Table(w, rows, opts)
	}
}

func (a *app) inventory(w io.Writer, world providers.World) error {
	return providers.EncodeInventory(w, providers.Inventory{
		Tool: "rolecall " + version(), ObservedAt: a.now().UTC(), Observations: world.Observations,
	}, redact.Text)
}

// inventoryYAML is the same inventory as YAML: the JSON's own keys in their
// order.
func (a *app) inventoryYAML(w io.Writer, world providers.World) error {
	var buf bytes.Buffer
	if err := a.inventory(&buf, world); err != nil {
		return err
	}
	document, err := render.YAML(buf.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(document)
	return err
}

// rowsOf is one line an object, with secrets masked.
func rowsOf(world providers.World, now time.Time) iter.Seq[render.Row] {
	return func(yield func(render.Row) bool) {
		d := newDues(now)
		for _, obs := range world.Observations {
			for i := range obs.Objects {
				if !yield(rowOf(&obs.Objects[i], d)) {
					return
				}
			}
		}
	}
}

func rowOf(o *providers.Object, d *dues) render.Row {
	due := d.of(o.Spec)
	r := render.Row{
		Source: o.Source(), Provider: o.Provider(), Object: redact.Text(o.ID), Role: cmp.Or(o.Marker().Role, o.Marker().Invalid),
		Version: o.Marker().Version, State: "active", Schedule: o.Spec.Written(), Zone: o.Spec.Zones(), NextDue: due.first,
		Command: redact.Text(whatRuns(o)), Location: o.Pos.String(),
	}
	if !o.Opaque {
		r.Hash, r.Words, r.Next, r.Unzoned = o.Spec.Hash().String(), due.words, due.next, due.unzoned
	}
	codes := make([]string, len(o.Inactive()))
	for i, why := range o.Inactive() {
		codes[i] = why.Code
	}
	if len(codes) == 0 && !o.Opaque && o.Spec.NeverFires() {
		codes = []string{"never-fires"}
	}
	if len(codes) > 0 {
		r.State, r.Reason = "inactive", strings.Join(codes, ", ")
		r.NextDue, r.Next, r.Unzoned = "", nil, false // what will not run is not due
	}
	return r
}

// whatRuns is the object's action in one line: a command, a workflow, the
// images of a CronJob.
func whatRuns(o *providers.Object) string {
	if c := o.Spec.Body.Get("command"); c.Kind == specs.Text {
		return c.Text
	}
	if wf := o.Attr("workflow"); wf != "" {
		return wf
	}
	var images []string
	for _, c := range o.Spec.Body.At("jobTemplate", "spec", "template", "spec", "containers").Members {
		if image := c.Get("image").Text; image != "" && !slices.Contains(images, image) {
			images = append(images, image)
		}
	}
	return strings.Join(images, ", ")
}
