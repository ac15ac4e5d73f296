package cli

import (
	"github.com/spf13/cobra"
)

// shelf is one heading of stoa --help.
type shelf struct {
	title string
	// commands are in the order of their names; the words are the summaries of
	// commands that only hold others, empty where the command has its own.
	commands map[string]string
}

func shelves() []shelf {
	return []shelf{
		{"Run:", map[string]string{
			"serve": "", "start": "", "stop": "", "status": "", "worker": "", "doctor": "", "config": "", "version": "",
		}},
		{"Use:", map[string]string{"env": "", "exec": "", "seed": "", "completion": ""}},
		{"People and credentials:", map[string]string{
			"user":   "Add and list the people who sign in",
			"team":   "Add teams of people",
			"org":    "Add organizations, their members and what these may grant",
			"client": "Add applications that sign people in",
			"grant":  "Allow or refuse a device that shows a code",
			"token":  "Issue, list and revoke tokens for calls to services",
			"key":    "Issue, list and revoke API and application keys",
		}},
		{"Services:", map[string]string{
			"calendar":   "Set up people's calendars",
			"deliveries": "See and resend messages to addresses outside",
			"events":     "Record events about repositories",
			"generate":   "See what the language models were asked and what was used",
			"jobs":       "See, retry and discard background work",
			"kms":        "List, rotate and destroy key-encryption keys",
			"listings":   "Add business locations",
			"models":     "Fetch, list and remove local language models",
			"packages":   "Load and refresh package metadata and advisories",
			"places":     "Load places that can rank on maps",
			"repo":       "Make and manage git repositories",
		}},
	}
}

// arrange puts every command under its heading. Cobra lists what has none
// under "Additional Commands".
func arrange(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	tidyCompletion(root)
	for _, s := range shelves() {
		root.AddGroup(&cobra.Group{ID: s.title, Title: s.title})
		for _, c := range root.Commands() {
			words, ok := s.commands[c.Name()]
			if !ok {
				continue
			}
			c.GroupID = s.title
			if words != "" {
				c.Short = words
			}
		}
	}
}

// tidyCompletion makes cobra's own command behave like ours: its words, and a
// refusal of shells that it does not know.
func tidyCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short, c.Long = "Print completions for your shell", ""
			c.Args = onlyCommands
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}
