package shellcompletion

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"stoa.dev/stoa/internal/app/cli/choice"
)

// Names are what the user may write for a word, by that word: as "world" for the argument WORLD and the flag --world.
// They are asked when a shell needs them.
type Names map[string]func(context.Context) []string

// Asked reports whether it is a shell that runs the program, to be told what may stand next.
func Asked(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// Propose has a command, and all below it, propose names for its arguments and flags.
func (n Names) Propose(c *cobra.Command) {
	if !c.HasSubCommands() && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = n.arguments(c.Use)
	}
	flags := func(f *pflag.Flag) {
		if _, has := c.GetFlagCompletionFunc(f.Name); !has && !takesFile(f) {
			_ = c.RegisterFlagCompletionFunc(f.Name, n.values(f)) // it is a flag of c, without a function
		}
	}
	c.PersistentFlags().VisitAll(flags)
	c.LocalNonPersistentFlags().VisitAll(flags)
	for _, below := range c.Commands() {
		n.Propose(below)
	}
}

// arguments proposes for the words of a usage such as "save WORLD SNAPSHOT".
func (n Names) arguments(use string) cobra.CompletionFunc {
	words := strings.Fields(use)[1:]
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(words) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		at := len(args)
		if at >= len(words) && strings.HasSuffix(strings.Trim(words[len(words)-1], "[]"), "...") {
			at = len(words) - 1 // it may be repeated
		}
		if at >= len(words) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		switch word := strings.ToLower(strings.Trim(words[at], "[].")); {
		case slices.Contains(words, "--"), slices.Contains(files(), word):
			return nil, cobra.ShellCompDirectiveDefault // a command of the user's, or a file
		case n[word] != nil:
			return n[word](c.Context()), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// files are the words for what the shell finds itself.
func files() []string { return []string{"file", "folder", "path", "socket"} }

func takesFile(f *pflag.Flag) bool {
	named, usage := pflag.UnquoteUsage(f)
	return slices.Contains(files(), named) || strings.Contains(usage, "file ")
}

// values proposes for a flag.
func (n Names) values(f *pflag.Flag) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if chosen, ok := f.Value.(*choice.Flag); ok {
			return chosen.Options, cobra.ShellCompDirectiveNoFileComp
		}
		if names := n[f.Name]; names != nil {
			return names(c.Context()), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
