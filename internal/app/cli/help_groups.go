package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/columns"
	"stoa.dev/stoa/internal/platform/module"
)

// helpGroup is one heading of stoa --help.
type helpGroup struct {
	title string
	// commands are in the order of their names; the texts are the summaries of
	// commands that only hold others, empty where the command has its own.
	commands map[string]string
}

// helpGroups are the headings; services add theirs to the last.
func helpGroups(services []module.CommandGroup) []helpGroup {
	ofServices := map[string]string{
		"deliveries": "See and resend messages to addresses outside",
		"jobs":       "See, retry and discard background work",
	}
	for _, g := range services {
		ofServices[g.Name] = g.Short
	}
	return []helpGroup{
		{"Run:", map[string]string{
			"serve": "", "start": "", "stop": "", "status": "", "worker": "", "doctor": "",
			"check": "", "backup": "", "restore": "",
			"profile": "", "config": "", "logs": "", "open": "", "version": "",
		}},
		{"Use:", map[string]string{"env": "", "exec": "", "seed": "", "completion": ""}},
		{"Test with worlds:", map[string]string{
			"lab": "", "world": "", "clock": "", "fault": "", "requests": "", "expect": "", "inbox": "", "cert": "",
			"conduct": "",
		}},
		{"Users and credentials:", map[string]string{
			"user":   "Add and list users",
			"team":   "Add teams of users",
			"org":    "Add organizations, their members and what these may grant",
			"client": "Add applications that users sign in to",
			"grant":  "Allow or refuse a device that shows a code",
			"token":  "Issue, list and revoke tokens for calls to services",
			"key":    "Issue, list and revoke API and application keys",
			"audit":  "See what administrators and credentials did",
		}},
		{"Services:", ofServices},
	}
}

// arrange puts every command under its heading. Cobra lists what has none
// under "Additional Commands".
func arrange(root *cobra.Command, services []module.CommandGroup) {
	root.InitDefaultCompletionCmd()
	describeCompletion(root)
	for _, g := range helpGroups(services) {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range root.Commands() {
			summary, ok := g.commands[c.Name()]
			if !ok {
				continue
			}
			c.GroupID = g.title
			if summary != "" {
				c.Short = summary
			}
		}
	}
}

// describeCompletion makes cobra's own command behave like the others: its
// summary, and a refusal of shells that it does not know.
func describeCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short, c.Long = "Print completions for your shell", ""
			c.Args = arguments.KnownCommand
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// innerGroups are the summaries of commands inside others that only hold further ones.
func innerGroups() map[string]string {
	return map[string]string{
		"org member":          "Add and remove members of an organization",
		"team member":         "Add and remove members of a team",
		"packages advisories": "Load security advisories and keep them current",
	}
}

// wrapHelp keeps help within the width of the terminal.
func wrapHelp(root *cobra.Command, width int) {
	printHelp := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		var text bytes.Buffer
		out := c.OutOrStdout()
		c.SetOut(&text)
		printHelp(c, args)
		c.SetOut(out)
		_, _ = out.Write([]byte(columns.Help(text.String(), width))) // cobra ignores it too
	})
}
