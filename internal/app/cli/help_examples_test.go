package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestEveryHelpHasAnExample also finds an example of a command that is gone, and one
// that its command would refuse.
func TestEveryHelpHasAnExample(t *testing.T) {
	t.Parallel()
	p := &Program{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}}
	root := p.root()
	shown := 0
	eachCommand(root, func(c *cobra.Command) {
		if c.HasSubCommands() && c.Example != "" {
			t.Errorf("%s is a command and a group of commands: rename one", c.CommandPath())
		}
		if c.HasSubCommands() || c.Hidden || c.Name() == "help" {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no example: add a line to examples.tsv", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			shown++
			checkExample(t, strings.TrimSpace(line), c.CommandPath())
		}
	})
	if listed := strings.Count("\n"+examples, "\n") - strings.Count("\n"+examples, "\n#") - 1; listed != shown {
		t.Errorf("examples.tsv has %d examples, %d are shown: one is of a command that there is not", listed, shown)
	}
}

var call = regexp.MustCompile(`stoa ([^)|>]*)`)

func checkExample(t *testing.T, line, path string) {
	t.Helper()
	found := call.FindStringSubmatch(line)
	if found == nil {
		t.Errorf("%q does not call stoa", line)
		return
	}
	own, _, _ := strings.Cut(found[1], " -- ")
	p := &Program{}
	c, args, err := p.root().Find(strings.Fields(strings.NewReplacer(`"`, "", "Stoa Poikile", "Stoa", "Ada Lovelace", "Ada",
		"The painters", "Painters").Replace(own)))
	if err != nil || c.CommandPath() != path {
		t.Errorf("%q is of %s, not of %s: %v", line, c.CommandPath(), path, err)
		return
	}
	if err := c.ParseFlags(args); err != nil {
		t.Errorf("%q: %v", line, err)
		return
	}
	if c.Args != nil && c.Name() != "exec" {
		if err := c.Args(c, c.Flags().Args()); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}
