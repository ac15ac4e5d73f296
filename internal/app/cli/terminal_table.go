package cli

import (
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

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

// narrowest is how far a column is cut.
const narrowest = 8

// table lays out rows in columns that fit the terminal: the widest give way, and a
// value that was cut ends in an ellipsis.
func (l look) table(head []string, rows [][]string) string {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, value := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(value))
		}
	}
	l.fit(widths)
	var b strings.Builder
	for i, row := range append([][]string{head}, rows...) {
		if i == 0 && l.colour {
			b.WriteString("\x1b[1m")
		}
		for j, value := range row {
			value = cut(value, widths[j])
			b.WriteString(value)
			if j < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(value)+2))
			}
		}
		if i == 0 && l.colour {
			b.WriteString("\x1b[0m")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// fit narrows the widest columns until the table fits.
func (l look) fit(widths []int) {
	for l.width > 0 {
		total, widest := -2, 0
		for i, w := range widths {
			total += w + 2
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= l.width || len(widths) == 0 || widths[widest] <= narrowest {
			return
		}
		widths[widest]--
	}
}

func cut(value string, width int) string {
	if utf8.RuneCountInString(value) <= width {
		return value
	}
	return string([]rune(value)[:width-1]) + "…"
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
