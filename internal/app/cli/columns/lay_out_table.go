package columns

import (
	"strings"
	"unicode/utf8"
)

// Layout is what a table is shown on.
type Layout struct {
	// Width is that of the terminal; zero is no terminal.
	Width int
	// Bold allows bold headings.
	Bold bool
}

// narrowest is how far a column is cut.
const narrowest = 8

// Table lays out rows in columns that fit the terminal: the widest give way, and a
// value that was cut ends in an ellipsis.
func (l Layout) Table(head []string, rows [][]string) string {
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, value := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(value))
		}
	}
	if !l.fit(widths) {
		return l.stacked(head, rows)
	}
	var b strings.Builder
	for i, row := range append([][]string{head}, rows...) {
		if i == 0 && l.Bold {
			b.WriteString("\x1b[1m")
		}
		for j, value := range row {
			value = cut(value, widths[j])
			b.WriteString(value)
			if j < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(value)+2))
			}
		}
		if i == 0 && l.Bold {
			b.WriteString("\x1b[0m")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// stacked lays out rows below one another, for terminals that are too narrow for their
// columns.
func (l Layout) stacked(head []string, rows [][]string) string {
	wide := 0
	for _, name := range head {
		wide = max(wide, utf8.RuneCountInString(name))
	}
	var b strings.Builder
	for i, row := range rows {
		if i > 0 {
			b.WriteString("\n")
		}
		for j, value := range row {
			gap := strings.Repeat(" ", wide-utf8.RuneCountInString(head[j])+2)
			b.WriteString(cut(head[j]+gap+value, l.Width) + "\n")
		}
	}
	return b.String()
}

// fit narrows the widest columns until the table fits, and reports whether it does.
func (l Layout) fit(widths []int) bool {
	for l.Width > 0 {
		total, widest := -2, 0
		for i, w := range widths {
			total += w + 2
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= l.Width || len(widths) == 0 {
			return true
		}
		if widths[widest] <= narrowest {
			return false
		}
		widths[widest]--
	}
	return true
}

func cut(value string, width int) string {
	if utf8.RuneCountInString(value) <= width {
		return value
	}
	return string([]rune(value)[:width-1]) + "…"
}
