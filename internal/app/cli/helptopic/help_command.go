package helptopic

import "github.com/spf13/cobra"

// Command is "help". unknown makes the refusal of words below a command that are none of its
// commands.
func Command(unknown cobra.PositionalArgs) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]...", Short: "Help about any command",
		// Help needs no data folder and no world.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(c *cobra.Command, words []string) error {
			found, rest, err := c.Root().Find(words)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknown(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
