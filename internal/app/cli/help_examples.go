package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app/cli/choice"
	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/platform/module"
)

//go:embed examples.tsv
var examples string

// showExamples gives every command the examples of its help.
func showExamples(root *cobra.Command) {
	lines := map[string][]string{}
	for line := range strings.Lines(examples) {
		if path, example, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok && !strings.HasPrefix(line, "#") {
			lines[path] = append(lines[path], "  "+example)
		}
	}
	eachCommand(root, func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		c.Example = strings.Join(lines[path], "\n")
	})
}

// eachCommand visits every command below one.
func eachCommand(parent *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range parent.Commands() {
		visit(c)
		eachCommand(c, visit)
	}
}

// badFlag refuses a flag that the command has not, and proposes the nearest.
func badFlag(c *cobra.Command, err error) error {
	next := "see " + c.CommandPath() + " --help"
	if _, given, ok := strings.Cut(err.Error(), "unknown flag: --"); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, distance := settings.Nearest(given, names); distance <= 1+len(given)/4 {
			next = "did you mean --" + near + "? " + next
		}
	}
	return module.Fail(choice.Failure(err), next, "%w", labwords.FlagError(err))
}
