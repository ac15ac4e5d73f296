package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"stoa.dev/stoa/internal/platform/budget"
)

// The bounds of one rendering. They hold for what is made of a text and are
// looked at while it is made: a row of a table has one byte and as many cells as
// its header.
const (
	// maxNodes is how many nodes the tree of a text has, cells of tables included.
	maxNodes = 150_000
	// maxCells is how many cells the tables of a text have, empty ones included.
	maxCells = 50_000
	// maxReferences is how many link reference definitions a text has; taking
	// them out of a paragraph takes time with the square of their number.
	maxReferences = 1_000
	// maxRendered is the HTML of one text in bytes, which is kept and sent with it.
	maxRendered = 4 << 20
	// maxSteps is how often a parser is asked, and for scans of a line that found
	// nothing a step for each scannedBytes of it.
	maxSteps     = 8_000_000
	scannedBytes = 32

	// nodeMemory is the memory in bytes that a node stands for, with its lines;
	// textMemory the same for a byte of the text: its copies, and what the
	// highlighter and the sanitiser make of it.
	nodeMemory = 320
	textMemory = 8
	// nodesAtOnce are reserved together.
	nodesAtOnce = 256
)

// renderBudget is what one rendering may still use. Goldmark knows no errors and
// no contexts, so its end is a panic with a renderStop, which Render catches.
type renderBudget struct {
	steps             *budget.Steps
	memory            *budget.Grant
	nodes, cells, ref int
	reserved          int // nodes that memory was taken for
}

// renderStop carries the reason out of the parser and the renderer.
type renderStop struct{ err error }

// renderBudgetKey finds the budget in the context of a parse. It is immutable: a
// number that goldmark gives out.
var renderBudgetKey = parser.NewContextKey() //nolint:gochecknoglobals // goldmark counts its keys

// budgetOf is the budget of a parse. One that has none is a programming error.
func budgetOf(pc parser.Context) *renderBudget { return pc.Get(renderBudgetKey).(*renderBudget) }

func (b *renderBudget) check(err error) {
	if err != nil {
		panic(renderStop{err})
	}
}

func (b *renderBudget) step(n int) { b.check(b.steps.Take(int64(n))) }

// grow counts nodes that are about to be made, or were just made one by one.
func (b *renderBudget) grow(n int) {
	if b.nodes += n; b.nodes > maxNodes {
		b.check(errComplex("it has more than 150000 elements"))
	}
	if b.nodes > b.reserved {
		more := max(nodesAtOnce, b.nodes-b.reserved)
		b.check(b.memory.Grow(int64(more) * nodeMemory))
		b.reserved += more
	}
}

func (b *renderBudget) table(cells int) {
	if b.cells += cells; b.cells > maxCells {
		b.check(errComplex("its tables have more than 50000 cells"))
	}
	b.grow(cells)
}

func (b *renderBudget) reference() {
	if b.ref++; b.ref > maxReferences {
		b.check(errComplex("it has more than 1000 link reference definitions"))
	}
	b.grow(1)
}

// countedBlock counts what a block parser is asked and makes.
type countedBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (c countedBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	b := budgetOf(pc)
	b.step(1)
	node, state := c.BlockParser.Open(parent, reader, pc)
	if node != nil {
		b.grow(2) // and the text in it
	}
	return node, state
}

// Continue implements parser.BlockParser.
func (c countedBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	budgetOf(pc).step(1)
	return c.BlockParser.Continue(node, reader, pc)
}

// SetOption implements parser.SetOptioner: headings are to have ids.
func (c countedBlock) SetOption(name parser.OptionName, value any) {
	if p, ok := c.BlockParser.(parser.SetOptioner); ok {
		p.SetOption(name, value)
	}
}

// countedInline counts what an inline parser is asked and makes.
type countedInline struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (c countedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	b := budgetOf(pc)
	line, _ := block.PeekLine()
	node := c.InlineParser.Parse(parent, block, pc)
	switch {
	case node != nil:
		b.step(1)
		b.grow(2) // and the text before it
	case len(line) > 0 && (line[0] == '`' || line[0] == '<' || line[0] == ']'):
		// These look for their end in all that follows.
		b.step(1 + len(line)/scannedBytes)
	default:
		b.step(1)
	}
	return node
}

// countedCloser is a countedInline that hears when a block ends.
type countedCloser struct {
	countedInline
	parser.CloseBlocker
}

// counted puts the budget around parsers.
func counted(list ...util.PrioritizedValue) []util.PrioritizedValue {
	out := make([]util.PrioritizedValue, len(list))
	for n, v := range list {
		switch p := v.Value.(type) {
		case parser.BlockParser:
			v.Value = countedBlock{p}
		case parser.InlineParser:
			v.Value = countedInline{p}
			if closer, ok := p.(parser.CloseBlocker); ok {
				v.Value = countedCloser{countedInline{p}, closer}
			}
		}
		out[n] = v
	}
	return out
}

// referenceCounter counts the link reference definitions that a paragraph begins with,
// before they are read.
type referenceCounter struct{}

// Transform implements parser.ParagraphTransformer.
func (referenceCounter) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	b, lines := budgetOf(pc), node.Lines()
	b.grow(lines.Len())
	for n := range lines.Len() {
		line := lines.At(n)
		value := bytes.TrimLeft(line.Value(reader.Source()), " ")
		if len(value) > 0 && value[0] == '[' && bytes.Contains(value, []byte("]:")) {
			b.reference()
		}
	}
}

// cellCounter counts the cells that a paragraph becomes if it is a table, before
// they are made: every row has as many as the header.
type cellCounter struct{}

// Transform implements parser.ParagraphTransformer.
func (cellCounter) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	for n := 1; n < lines.Len(); n++ {
		line := lines.At(n)
		value := line.Value(reader.Source())
		if columns := delimiterColumns(value); columns > 0 {
			budgetOf(pc).table(columns * (lines.Len() - n + 1))
			return
		}
	}
}

// delimiterColumns is how many columns the line below a header has at most; 0 if
// the line is another one.
func delimiterColumns(line []byte) int {
	if len(bytes.Trim(line, " \t\r\n-|:")) > 0 || !bytes.Contains(line, []byte("-")) {
		return 0
	}
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("|")), []byte("|"))
	return bytes.Count(line, []byte("|")) + 1
}

// boundedHTML holds HTML up to a bound.
type boundedHTML struct {
	text   strings.Builder
	budget *renderBudget
}

// Write implements io.Writer. Goldmark does not look at its error, hence the
// panic: a long address may stand in a hundred thousand links.
func (w *boundedHTML) Write(p []byte) (int, error) {
	w.budget.check(w.fits(len(p)))
	return w.text.Write(p)
}

// WriteString implements io.StringWriter.
func (w *boundedHTML) WriteString(s string) (int, error) {
	w.budget.check(w.fits(len(s)))
	return w.text.WriteString(s)
}

func (w *boundedHTML) fits(n int) error {
	if w.text.Len()+n > maxRendered {
		return errComplex("its HTML has more than 4 MB")
	}
	return w.budget.memory.Grow(2 * int64(n))
}
