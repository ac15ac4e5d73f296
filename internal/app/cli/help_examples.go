package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
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
