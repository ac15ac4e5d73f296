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

// Break stands between the items of a list in a cell that is too long for one line: a
// table shows a blank, rows below one another begin a new line.
const Break = "\n"

// maxCellLines is how high a row of a table may become before rows are shown below one
// another.
const maxCellLines = 6

// Table lays out rows in columns that fit the terminal: the widest give way, and their
// values go on in the next line. Nothing is cut. What does not fit so is shown row below
// row, a field a line.
func (l Layout) Table(head []string, rows [][]string) string {
	if l.Width == 0 && hasBreak(rows) {
		return l.stacked(head, rows)
	}
	all := append([][]string{head}, rows...)
	widths, least := make([]int, len(head)), make([]int, len(head))
	for _, row := range all {
		for i, value := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(value))
			least[i] = max(least[i], longest(value))
		}
	}
	if !l.fit(widths, least) {
		return l.stacked(head, rows)
	}
	var b strings.Builder
	for i, row := range all {
		cells, high := make([][]string, len(row)), 1
		for j, value := range row {
			cells[j] = []string{value}
			if l.Width > 0 {
				cells[j] = Wrap(value, widths[j])
			}
			high = max(high, len(cells[j]))
		}
		if high > maxCellLines {
			return l.stacked(head, rows)
		}
		b.WriteString(l.row(cells, widths, high, i == 0))
	}
	return b.String()
}

// row is one row of a table, of as many lines as its highest cell.
func (l Layout) row(cells [][]string, widths []int, high int, heading bool) string {
	var b strings.Builder
	for n := range high {
		var line strings.Builder
		for j, cell := range cells {
			value := ""
			if n < len(cell) {
				value = cell[n]
			}
			line.WriteString(value)
			if j < len(cells)-1 {
				line.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(value)+2))
			}
		}
		text := line.String()
		if l.Width > 0 {
			text = strings.TrimRight(text, " ")
		}
		if heading && l.Bold {
			text = "\x1b[1m" + text + "\x1b[0m"
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// besides is the least width beside a name in which a value is still read well.
const besides = 20

// stacked lays out rows below one another. Without a terminal only lists are broken.
func (l Layout) stacked(head []string, rows [][]string) string {
	indent := 0
	for _, name := range head {
		indent = max(indent, utf8.RuneCountInString(name)+2)
	}
	var b strings.Builder
	for i, row := range rows {
		if i > 0 {
			b.WriteString("\n")
		}
		for j, value := range row {
			if value == "" {
				continue
			}
			b.WriteString(l.field(head[j], value, indent))
		}
	}
	return b.String()
}

func (l Layout) field(name, value string, indent int) string {
	if l.Width == 0 {
		lines := strings.Split(value, Break)
		return Hang(name+strings.Repeat(" ", indent-utf8.RuneCountInString(name)), lines, indent)
	}
	if left := l.Width - indent; left < besides || longest(value) > left {
		below := min(2, l.Width-1)
		return Hang("", append(Wrap(name, l.Width), Hang(strings.Repeat(" ", below), Wrap(value, l.Width-below), below)), 0)
	}
	return Hang(name+strings.Repeat(" ", indent-utf8.RuneCountInString(name)), Wrap(value, l.Width-indent), indent)
}

// Hang writes lines after a beginning, the later ones below the first.
func Hang(begin string, lines []string, indent int) string {
	return strings.TrimRight(begin+strings.Join(lines, "\n"+strings.Repeat(" ", indent)), "\n") + "\n"
}

// fit narrows the widest columns until the table fits, none below its longest word, and
// reports whether it does.
func (l Layout) fit(widths, least []int) bool {
	for l.Width > 0 {
		total, widest := -2, -1
		for i, w := range widths {
			total += w + 2
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if total <= l.Width || len(widths) == 0 {
			return true
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
	}
	return true
}

func hasBreak(rows [][]string) bool {
	for _, row := range rows {
		for _, value := range row {
			if strings.Contains(value, Break) {
				return true
			}
		}
	}
	return false
}
