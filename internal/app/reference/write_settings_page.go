package reference

import (
	"fmt"
	"io"
	"strings"
)

const pageHead = `# Settings

Every setting of the server, made from its source by ` + "`go test ./internal/app/reference -update`" + `. A setting is read from three places, the
later one wins: the YAML file after ` + "`--config`" + `, the environment variable, the flag. An empty variable counts as not given. A
key of the file that is no setting is refused with the nearest name, and so is a variable that is nearly a setting or begins with a section
(` + "`STOA_TASKS_…`" + `). Another variable of your own that begins with ` + "`STOA_`" + ` is named in a warning and not read.

` + "```sh" + `
stoa config init                             # a commented file with every setting
stoa config explain events.limits            # the same words in the terminal
stoa config print --changed                  # what differs from the defaults here
` + "```" + `

Durations are written as ` + "`90s`, `15m`, `36h`, `7d`" + `. In a variable a list is separated by commas. Settings marked *file* are read from the file only.
`

// WritePage writes the settings as a Markdown page, a table per section.
func WritePage(w io.Writer, entries []Entry) error {
	var b strings.Builder
	b.WriteString(pageHead)
	section := "?"
	for _, e := range entries {
		if s := sectionOf(e.Name); s != section {
			section = s
			title := "`" + section + "`"
			if section == "" {
				title = "The server"
			}
			fmt.Fprintf(&b, "\n## %s\n\n| setting and variable | type and default | meaning |\n|---|---|---|\n", title)
		}
		variable := "`" + e.Variable + "`"
		if e.FileOnly {
			variable = "*file*"
		}
		fmt.Fprintf(&b, "| `%s` %s | %s, %s | %s |\n", e.Name, variable, e.Type, pageDefault(e), cell(e.Meaning))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sectionOf is the first word of a nested name, empty for the server's own settings.
func sectionOf(name string) string {
	section, _, nested := strings.Cut(name, ".")
	if !nested {
		return ""
	}
	return section
}

func pageDefault(e Entry) string {
	switch e.Default {
	case "", "[]", "{}", "null":
		return "empty"
	}
	if len(e.Default) > 60 {
		return "shown by `stoa config explain " + e.Name + "`"
	}
	return "`" + cell(e.Default) + "`"
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
