package columns

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// DefaultWidth is that of help where the terminal's is unknown.
const DefaultWidth = 80

// minDescription is the narrowest column that is worth keeping beside a name.
const minDescription = 24

// described is a line of help with a name, a gap and a description.
var described = regexp.MustCompile(`^( +\S.*?  +)(\S.*)$`)

// Help wraps the help of a command: descriptions go on below themselves, and paragraphs at the margin. Indented lines
// without a description are commands to be copied, and stay whole.
func Help(text string, width int) string {
	if width <= 0 {
		width = DefaultWidth
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		begin, rest := "", line
		if found := described.FindStringSubmatch(line); found != nil {
			begin, rest = found[1], found[2]
		}
		indent := utf8.RuneCountInString(begin)
		switch {
		case utf8.RuneCountInString(line) <= width, begin == "" && strings.HasPrefix(line, " "):
			b.WriteString(line + "\n")
		case indent > 0 && width-indent < minDescription:
			b.WriteString(strings.TrimRight(begin, " ") + "\n")
			b.WriteString(Hang("        ", Wrap(rest, max(width-8, 1)), 8))
		default:
			b.WriteString(Hang(begin, Wrap(rest, width-indent), indent))
		}
	}
	return b.String()
}
