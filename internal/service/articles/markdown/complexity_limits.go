package markdown

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

// refusal is what every ComplexityError begins with.
const refusal = "The text cannot be shown as Markdown"

// ComplexityError refuses a text for what would become of it.
type ComplexityError struct{ Reason string }

func (e *ComplexityError) Error() string { return refusal + ": " + e.Reason }

func errComplex(reason string) *ComplexityError { return &ComplexityError{reason} }

// checkLines refuses a text that no author wrote by hand. Paragraphs are not
// judged here: only the parser knows where one begins. See markLimit.
func checkLines(markdown string) error {
	if strings.Count(markdown, "[^") > maxFootnotes {
		return errComplex("it has more than 1000 footnotes")
	}
	for line := range strings.SplitSeq(markdown, "\n") {
		if levels, indent := nesting(line); levels > maxNested || (levels > 0 && indent > maxIndent) {
			return errComplex("quotations and lists nest deeper than 100 levels")
		}
		// A heading is not a paragraph.
		if strings.Contains(line, "#") && countMarks(line) > maxMarks {
			return errComplex("a heading has more than 1000 marks")
		}
	}
	return nil
}

// nesting counts the marks of quotations and lists that a line begins with, and
// the columns before the last of them. A rule or a frame drawn with hyphens does not
// count: a list needs a blank after its mark.
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

// countMarks counts what the parser keeps until it knows where it ends.
func countMarks(line string) (n int) {
	for i := range len(line) {
		switch line[i] {
		case '*', '_', '~', '[':
			n++
		}
	}
	return n
}

// markLimit shows a paragraph with very many marks as it was written. Lists have a
// paragraph for each item, and code has none. A table is not a paragraph either, but
// its cells are read one by one: a line of it counts alone.
type markLimit struct{ perLine bool }

// Transform implements parser.ParagraphTransformer.
func (l markLimit) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, total, longest := node.Lines(), 0, 0
	for n := range lines.Len() {
		line := lines.At(n)
		count := countMarks(string(line.Value(reader.Source())))
		total, longest = total+count, max(longest, count)
	}
	if (l.perLine && longest <= maxMarks) || total <= maxMarks {
		return
	}
	plain := ast.NewCodeBlock()
	plain.SetLines(lines)
	node.Parent().ReplaceChild(node.Parent(), node, plain)
}
