package arguments

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app/cli/labwords"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/platform/module"
)

// Words wants exactly these words after the command, and says which is missing.
func Words(words ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		help := "see " + c.CommandPath() + " --help"
		if len(args) < len(words) {
			return module.Fail(module.Usage, help, "%s is missing", words[len(args)])
		}
		if len(args) > len(words) {
			return module.Fail(module.Usage, help, "unexpected argument %q", args[len(words)])
		}
		return nil
	}
}

// KnownCommand refuses a word that does not name a command below, and proposes the
// nearest.
func KnownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	help := "see " + c.CommandPath() + " --help"
	c.SuggestionsMinimumDistance = 2
	near := c.SuggestionsFor(args[0])
	begun := slices.DeleteFunc(slices.Clone(near), func(name string) bool { return !strings.HasPrefix(name, args[0]) })
	if len(begun) > 0 {
		near = begun // the word is typed halfway
	}
	if !c.HasParent() && settings.Near(args[0], []string{"help"}) != "" {
		near = []string{"help"} // cobra leaves its own command out
	}
	if len(near) == 0 {
		near = sameMeaning(c, args[0])
	}
	if len(near) > 0 {
		help = "did you mean " + c.CommandPath() + " " + strings.Join(near, " or ") + "? " + help
	}
	return module.Fail(module.Usage, help, "unknown command %q", strings.TrimPrefix(c.CommandPath()+" "+args[0], "stoa "))
}

// sameMeaning are the commands below that another program calls by the given word.
func sameMeaning(c *cobra.Command, word string) (names []string) {
	for _, group := range [][]string{
		{"add", "create", "new", "make", "issue"}, {"remove", "delete", "rm", "discard", "revoke", "clear"},
		{"list", "ls"}, {"show", "get", "view", "describe"}, {"set", "edit", "update", "answer"},
	} {
		if !slices.Contains(group, word) {
			continue
		}
		for _, below := range c.Commands() {
			if slices.Contains(group, below.Name()) && below.IsAvailableCommand() {
				names = append(names, below.Name())
			}
		}
	}
	return names
}

// Optional takes at most this one word after the command.
func Optional(word string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return module.Fail(module.Usage, "see "+c.CommandPath()+" --help", "unexpected argument %q: %s takes one %s at most",
			args[1], c.CommandPath(), word)
	}
}

// FlagError refuses a flag that the command has not, and proposes the nearest.
func FlagError(c *cobra.Command, err error) error {
	next := "see " + c.CommandPath() + " --help"
	if _, given, ok := strings.Cut(err.Error(), "unknown flag: --"); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, distance := settings.Nearest(given, names); distance <= 1+len(given)/4 {
			next = "did you mean --" + near + "? " + next
		}
	}
	return module.Fail(module.Usage, next, "%w", labwords.FlagError(err))
}
