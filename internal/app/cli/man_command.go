package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/arguments"
)

// man prints the manual page, made from the commands themselves.
func (p *Program) man() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Args: arguments.Words(), Hidden: true,
		RunE: func(c *cobra.Command, _ []string) error {
			writeManual(p.Stdout, c.Root(), p.Version)
			return nil
		},
	}
}

// writeManual is stoa(1): the program, then every command with its flags.
func writeManual(w io.Writer, root *cobra.Command, version string) {
	fmt.Fprintf(w, ".TH STOA 1 \"\" \"stoa %s\" \"Stoa\"\n", roff(version))
	fmt.Fprintf(w, ".SH NAME\nstoa \\- %s\n", roff(strings.ToLower(root.Short[:1])+root.Short[1:]))
	fmt.Fprint(w, ".SH SYNOPSIS\n.B stoa\n.I command\n.RI [ flags ]\n")
	fmt.Fprintf(w, ".SH DESCRIPTION\nOne program serves %d API services and is its own administrator. "+
		"Commands reach the running server of the data folder; without one they open the store themselves.\n",
		len(app.Services()))
	fmt.Fprint(w, ".SH OPTIONS\nEvery command takes these.\n")
	writeFlags(w, root.PersistentFlags().FlagUsages())
	fmt.Fprint(w, ".SH COMMANDS\n")
	writeCommands(w, root)
	fmt.Fprint(w, ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 not found, 4 conflict, "+
		"5 another process owns the data folder, 6 the configuration makes no sense. "+
		"stoa exec ends with the exit code of its command.\n")
	fmt.Fprint(w, ".SH ENVIRONMENT\nEvery setting is a variable: the path of the setting in capitals, "+
		"as in STOA_LISTEN_HTTP. stoa config explain lists and explains all of them. An empty variable is as good as none.\n")
	fmt.Fprint(w, ".SH SEE ALSO\nThe running server has its documentation at /docs/.\n")
}

func writeCommands(w io.Writer, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if c.HasSubCommands() {
			writeCommands(w, c)
			continue
		}
		fmt.Fprintf(w, ".SS %s\n", roff(c.UseLine()))
		text := c.Short
		if c.Long != "" {
			text = c.Long
		}
		writeText(w, text)
		writeFlags(w, c.NonInheritedFlags().FlagUsages())
	}
}

// writeText keeps indented lines as they are and fills the rest.
func writeText(w io.Writer, text string) {
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.TrimSpace(line) == "":
			fmt.Fprintln(w, ".PP")
		case strings.HasPrefix(line, "    "):
			fmt.Fprintf(w, ".RS\n.nf\n%s\n.fi\n.RE\n", roff(strings.TrimSpace(line)))
		default:
			fmt.Fprintln(w, roff(line))
		}
	}
}

// writeFlags turns the lines of a usage text into a list.
func writeFlags(w io.Writer, usages string) {
	for line := range strings.Lines(usages) {
		flag, words, ok := strings.Cut(strings.TrimSpace(line), "   ")
		if ok {
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(flag), roff(strings.TrimSpace(words)))
		}
	}
}

// roff protects what the formatter would read as its own.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
