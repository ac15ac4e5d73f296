package reference

import (
	"fmt"
	"io"
	"strings"
)

const pageHead = `# Settings

Every setting of the server, made from its source by ` + "`go test ./internal/app/reference -update`" + `. A setting is read from three places, the
later one wins: the YAML file after ` + "`--config`" + `, the environment variable, the flag. An empty variable counts as not given. A
key of the file that is not a setting is refused with the nearest name, and so is a variable that is nearly a setting or begins with a section
(` + "`STOA_TASKS_…`" + `). Another variable of your own that begins with ` + "`STOA_`" + ` is named in a warning and not read.

` + "```sh" + `
stoa config init                             # a commented file with every setting
stoa config explain events.limits            # the same words in the terminal
stoa config print --changed                  # what differs from the defaults here
` + "```" + `

Durations are written as ` + "`90s`, `15m`, `36h`, `7d`" + `. In a variable a list is separated by commas. Settings marked *file* are read from the file only.
`

// WritePage writes the settings as a Markdown page: a list of the sections, and a table for each.
func WritePage(w io.Writer, entries []Entry) error {
	titles, members := sections(entries)
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString("\nSections:")
	for i, title := range titles {
		separator := ","
		if i == 0 {
			separator = ""
		}
		fmt.Fprintf(&b, "%s [%s](#%s)", separator, title, anchor(title))
	}
	b.WriteString(".\n")
	for _, title := range titles {
		fmt.Fprintf(&b, "\n## %s\n\n| setting and variable | type and default | meaning |\n|---|---|---|\n", title)
		for _, e := range members[title] {
			variable := "`" + e.Variable + "`"
			if e.FileOnly {
				variable = "*file*"
			}
			fmt.Fprintf(&b, "| `%s` %s | %s, %s | %s |\n", e.Name, variable, e.Type, pageDefault(e), cell(e.Meaning))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sections are the settings by the title of their section. The server's own stand together, wherever the file has them.
func sections(entries []Entry) (titles []string, members map[string][]Entry) {
	members = map[string][]Entry{}
	for _, e := range entries {
		title := "The server"
		if section := sectionOf(e.Name); section != "" {
			title = "`" + section + "`"
		}
		if members[title] == nil {
			titles = append(titles, title)
		}
		members[title] = append(members[title], e)
	}
	return titles, members
}

// anchor is the address of a section on the page.
func anchor(title string) string {
	return strings.ReplaceAll(strings.ToLower(strings.Trim(title, "`")), " ", "-")
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
