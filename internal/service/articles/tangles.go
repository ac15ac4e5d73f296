package articles

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The bounds of a text that is worth reading as Markdown: parsing takes time
// with the square of each.
const (
	// maxNested is how deep quotations and lists go in one line.
	maxNested = 100
	// maxIndent is how far a list may be indented, in columns: two for a level.
	maxIndent = 4 * maxNested
	// maxMarks is how many marks one paragraph holds.
	maxMarks = 1000
	// maxFootnotes is how many notes and references to them there are.
	maxFootnotes = 1000
)

// tangled refuses a text that nobody wrote by hand. Paragraphs are not judged
// here: only the parser knows where one begins. See knots.
func tangled(markdown string) error {
	if strings.Count(markdown, "[^") > maxFootnotes {
		return errComplex("it has more than 1000 footnotes")
	}
	for line := range strings.SplitSeq(markdown, "\n") {
		if levels, indent := nesting(line); levels > maxNested || (levels > 0 && indent > maxIndent) {
			return errComplex("quotations and lists nest deeper than 100 levels")
		}
		// A heading is no paragraph.
		if strings.Contains(line, "#") && marks(line) > maxMarks {
			return errComplex("a heading has more than 1000 marks")
		}
	}
	return nil
}

// nesting counts the marks of quotations and lists that a line begins with, and
// the columns before the last of them. A rule or a frame drawn with hyphens is
// none: a list needs a blank after its mark.
func nesting(line string) (levels, indent int) {
	column := 0
	for len(line) > 0 {
		switch n := listMark(line); {
		case line[0] == '\t':
			column += 4
			line = line[1:]
		case line[0] == ' ':
			column++
			line = line[1:]
		case line[0] == '>':
			n = 1
			fallthrough
		case n > 0:
			levels, indent = levels+1, column
			column += n
			line = line[n:]
		default:
			return levels, indent
		}
	}
	return levels, indent
}

// listMark is the length of the mark of a list that a line begins with: a
// bullet, or up to nine digits with a dot or a bracket.
func listMark(line string) int {
	n := 0
	for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	bullets := "-+*"
	if n > 0 {
		bullets = ".)"
	}
	if n == len(line) || strings.IndexByte(bullets, line[n]) < 0 {
		return 0
	}
	if n++; n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return 0
	}
	return n
}

// marks counts what the parser keeps until it knows where it ends.
func marks(line string) (n int) {
	for i := range len(line) {
		switch line[i] {
		case '*', '_', '~', '[':
			n++
		}
	}
	return n
}

// knots shows a paragraph with very many marks as it was written. Lists have a
// paragraph for each item, and code has none. A table is none either, but its
// cells are read one by one: a line of it counts alone.
type knots struct{ lines bool }

// Transform implements parser.ParagraphTransformer.
func (k knots) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, total, most := node.Lines(), 0, 0
	for n := range lines.Len() {
		line := lines.At(n)
		count := marks(string(line.Value(reader.Source())))
		total, most = total+count, max(most, count)
	}
	if (k.lines && most <= maxMarks) || total <= maxMarks {
		return
	}
	plain := ast.NewCodeBlock()
	plain.SetLines(lines)
	node.Parent().ReplaceChild(node.Parent(), node, plain)
}
