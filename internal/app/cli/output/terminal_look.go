package output

import (
	"cmp"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"stoa.dev/stoa/internal/app/cli/columns"
)

// Look is how results are shown to the reader at hand. The zero value is for pipes
// and files: everything in full.
type Look struct {
	// Width is that of the terminal; zero is no terminal.
	Width int
	// Colour allows bold headings.
	Colour bool
}

// To is how results are written to w.
func To(w any, environ []string) Look {
	f, ok := w.(*os.File)
	if !ok {
		return Look{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 1 {
		return Look{}
	}
	l := Look{Width: width, Colour: true}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); name == "NO_COLOR" && value != "" || name == "TERM" && value == "dumb" {
			l.Colour = false
		}
	}
	return l
}

// Terminal reports whether what is written appears on a terminal.
func Terminal(w any) bool { return To(w, nil).Width > 0 }

// table lays out rows in columns.
func (l Look) table(head []string, rows [][]string) string {
	return columns.Layout{Width: l.Width, Bold: l.Colour}.Table(head, rows)
}

// reportWidth is how wide a report is that is read without a terminal, as in the log of a CI system.
const reportWidth = 100

// Report writes a table whose last column is prose, which is broken without a terminal too.
func (l Look) Report(w io.Writer, head []string, rows [][]string) error {
	_, err := io.WriteString(w, Look{Width: cmp.Or(l.Width, reportWidth), Colour: l.Colour}.table(head, rows))
	return err
}
