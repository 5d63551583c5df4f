package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

const manualAbout = `Writes what a package ships beside the program: a manual page for each command and
each page of the help, and the completions of four shells. Files of the same
names in the folder are replaced.

  FOLDER/man1/rolecall.1, rolecall-audit.1 …    FOLDER/man7/rolecall-markers.7 …
  FOLDER/completions/rolecall.bash, rolecall.fish, _rolecall (zsh), rolecall.ps1`

// manualCommand is for those who make packages, so help does not list it.
func (a *app) manualCommand() *cobra.Command {
	return &cobra.Command{
		Use: "manual FOLDER", Short: "write manual pages and completions", Long: manualAbout, Hidden: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("manual takes the folder to write to, and got %d words", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := manualFiles(cmd.Root(), builtFrom(buildInfo()))
			if err != nil {
				return internal(err)
			}
			for name, data := range files {
				if err := putBelow(args[0], name, data); err != nil {
					return internal(err)
				}
			}
			return nil
		},
	}
}

func putBelow(dir, name string, data []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return writeFile(file, pile{data})
}

// manualFiles are all pages and completions, by their paths.
func manualFiles(root *cobra.Command, from built) (map[string][]byte, error) {
	out := map[string][]byte{}
	root.InitDefaultCompletionCmd()
	addPages(root, from, out)
	for _, shell := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{"rolecall.bash", func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) }},
		{"rolecall.fish", func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) }},
		{"_rolecall", func(b *bytes.Buffer) error { return root.GenZshCompletion(b) }},
		{"rolecall.ps1", func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) }},
	} {
		var b bytes.Buffer
		if err := shell.write(&b); err != nil {
			return nil, err
		}
		out["completions/"+shell.name] = b.Bytes()
	}
	return out, nil
}

// addPages adds the page of a command and of those below it.
func addPages(cmd *cobra.Command, from built, out map[string][]byte) {
	if cmd.Hidden || cmd.Name() == "help" {
		return
	}
	cmd.InitDefaultHelpFlag()
	out[fmt.Sprintf("man%[1]d/%[2]s.%[1]d", pageSection(cmd), pageName(cmd))] = manualPage(cmd, from)
	for _, c := range cmd.Commands() {
		addPages(c, from, out)
	}
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// pageSection is 1 for what can be run and 7 for a page of the help.
func pageSection(cmd *cobra.Command) int {
	if cmd.Runnable() || cmd.HasSubCommands() {
		return 1
	}
	return 7
}
