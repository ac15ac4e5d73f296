package cli

import (
	"os"
	"strings"

	"golang.org/x/term"

	"stoa.dev/stoa/internal/app/cli/columns"
	"stoa.dev/stoa/internal/app/cli/plain"
)

// look is how results are shown to the reader at hand. The zero value is for pipes
// and files: everything in full.
type look struct {
	// width is that of the terminal; zero is no terminal.
	width int
	// colour allows bold headings.
	colour bool
}

// lookOf is how results are written to w.
func lookOf(w any, environ []string) look {
	f, ok := w.(*os.File)
	if !ok {
		return look{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 1 {
		return look{}
	}
	l := look{width: width, colour: true}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); name == "NO_COLOR" && value != "" || name == "TERM" && value == "dumb" {
			l.colour = false
		}
	}
	return l
}

// terminal reports whether what is written appears on a terminal.
func terminal(w any) bool { return lookOf(w, nil).width > 0 }

// table lays out rows in columns.
func (l look) table(head []string, rows [][]string) string {
	return columns.Layout{Width: l.width, Bold: l.colour}.Table(head, rows)
}

// shown is a member's value as it reads in a sentence.
func (l look) shown(m plain.Member) string {
	text := plain.Value(m.Text)
	switch {
	case text == "true" && m.Text[0] == 't':
		return "yes"
	case text == "false" && m.Text[0] == 'f':
		return "no"
	case m.Name == "bytes":
		return plain.Size(text)
	case m.Name == "duration":
		return plain.Duration(m.Text, text)
	}
	if l.width > 0 {
		return plain.Moment(text)
	}
	return text
}
