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

// Help wraps the help of a command. Lines that the source broke are joined first, so that a text is broken
// once, for this width: descriptions go on below themselves, and paragraphs at the margin. Indented lines
// without a description are commands to be copied, and stay whole.
func Help(text string, width int) string {
	if width <= 0 {
		width = DefaultWidth
	}
	var b strings.Builder
	for _, p := range pieces(text) {
		indent := utf8.RuneCountInString(p.begin)
		switch {
		case p.copied, indent+utf8.RuneCountInString(p.text) <= width:
			b.WriteString(p.begin + p.text + "\n")
		case indent > 0 && width-indent < minDescription:
			b.WriteString(strings.TrimRight(p.begin, " ") + "\n")
			b.WriteString(Hang("        ", Wrap(p.text, max(width-8, 1)), 8))
		default:
			b.WriteString(Hang(p.begin, Wrap(p.text, width-indent), indent))
		}
	}
	return b.String()
}

// piece is a part of a help that is broken by itself: a paragraph, a description after the
// name that it begins with, or a line that is copied as it is.
type piece struct {
	begin, text string
	copied      bool
}

// pieces puts lines together that are one text.
func pieces(text string) []piece {
	var list []piece
	for line := range strings.Lines(text) {
		p := pieceOf(strings.TrimRight(line, "\n"))
		if len(list) > 0 && list[len(list)-1].goesOn(p) {
			list[len(list)-1].text += " " + strings.TrimLeft(p.text, " ")
			continue
		}
		list = append(list, p)
	}
	return list
}

func pieceOf(line string) piece {
	if found := described.FindStringSubmatch(line); found != nil {
		return piece{begin: found[1], text: found[2]}
	}
	return piece{text: line, copied: line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")}
}

// goesOn reports whether the next piece is a further line of this one: of a paragraph, or of a
// description when it stands below it.
func (p piece) goesOn(next piece) bool {
	if p.copied || next.begin != "" {
		return false
	}
	if p.begin == "" {
		return !next.copied
	}
	words := strings.TrimLeft(next.text, " ")
	return words != "" && len(next.text)-len(words) == utf8.RuneCountInString(p.begin)
}
