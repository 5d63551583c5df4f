package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/specs"
)

const versionAbout = `Says what this program was built from, as the Go toolchain noted it in the
program itself: the version of the module, which is the tag of a release; the
commit, its time, and whether the checkout held changes beside it. A program that
was built without a checkout knows no commit.`

// built is what a program was built from. What is not known is empty.
type built struct {
	Name             string `json:"name"`
	Version          string `json:"version"`     // the module's, or devel
	Commit           string `json:"commit"`      // its full hash
	CommitTime       string `json:"commit_time"` // RFC 3339 in UTC: that of the build would differ from build to build
	Modified         bool   `json:"modified"`    // the checkout held what is in no commit
	Go               string `json:"go"`
	OS               string `json:"os"`
	Arch             string `json:"arch"`
	Canonicalisation string `json:"canonicalisation"` // the scheme of its hashes
}

func (a *app) versionCommand() *cobra.Command {
	var outputs []string
	cmd := &cobra.Command{
		Use: "version", Short: "the version of this program", Long: versionAbout, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, err := parseOutputs(outputs, []string{"text", "json"}, "text")
			if err != nil {
				return err
			}
			return a.write(out, builtFrom(buildInfo()).show)
		},
	}
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: text, json (default text)")
	return cmd
}

func buildInfo() debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return *info
	}
	return debug.BuildInfo{}
}

// builtFrom reads what the toolchain notes: the keys are those of
// runtime/debug.BuildSetting.
func builtFrom(info debug.BuildInfo) built {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	b := built{
		Name: "rolecall", Version: info.Main.Version, Commit: set["vcs.revision"], CommitTime: set["vcs.time"], Modified: set["vcs.modified"] == "true",
		Go: info.GoVersion, OS: set["GOOS"], Arch: set["GOARCH"], Canonicalisation: specs.Canonicalisation,
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
		if b.Commit != "" {
			b.Version += "-" + b.Commit[:min(len(b.Commit), 12)]
		}
	}
	return b
}

func (b built) show(format string, w io.Writer) error {
	if format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(b)
	}
	text := fmt.Sprintf("rolecall %s\n", b.Version)
	if b.Commit != "" {
		text += fmt.Sprintf("commit   %s of %s\n", b.Commit, b.CommitTime)
	}
	if b.Modified {
		text += "changed  the checkout held changes that are in no commit\n"
	}
	_, err := fmt.Fprintf(w, "%sbuilt    by %s for %s/%s; hashes are %s\n", text, b.Go, b.OS, b.Arch, b.Canonicalisation)
	return err
}

// version is that of the module, or of the commit that was built.
func version() string { return builtFrom(buildInfo()).Version }
