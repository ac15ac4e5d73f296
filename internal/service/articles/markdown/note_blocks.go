package markdown

import (
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A note is a block that stands out: info, warn or alert.
//
//	:::note warn
//	Mind the third step.
//	:::

// noteAttribute is the attribute that tells a note from a quotation in the tree: a
// note is a quotation with a kind.
const noteAttribute = "data-note"

// noteOf is the kind of note that a node is; empty for all others.
func noteOf(n ast.Node) string {
	if value, ok := n.AttributeString(noteAttribute); ok {
		if kind, ok := value.(string); ok {
			return kind
		}
	}
	return ""
}

// notes parses and renders notes.
type notes struct{ open, close *regexp.Regexp }

func newNotes() notes {
	return notes{
		open:  regexp.MustCompile(`^ {0,3}:::note(?:[ \t]+(info|warn|alert))?[ \t]*\r?\n?$`),
		close: regexp.MustCompile(`^ {0,3}:::[ \t]*\r?\n?$`),
	}
}

// Trigger implements parser.BlockParser.
func (notes) Trigger() []byte { return []byte{':'} }

// Open implements parser.BlockParser.
//
// Notes do not nest: every open block is asked about every line.
func (p notes) Open(parent ast.Node, reader text.Reader, _ parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	m := p.open.FindSubmatch(line)
	if m == nil {
		return nil, parser.NoChildren
	}
	for n := parent; n != nil; n = n.Parent() {
		if noteOf(n) != "" {
			return nil, parser.NoChildren
		}
	}
	kind := string(m[1])
	if kind == "" {
		kind = "info"
	}
	reader.AdvanceToEOL()
	note := ast.NewBlockquote()
	note.SetAttributeString(noteAttribute, kind)
	return note, parser.HasChildren
}

// Continue implements parser.BlockParser.
func (p notes) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if p.close.Match(line) {
		reader.AdvanceToEOL()
		return parser.Close
	}
	return parser.Continue | parser.HasChildren
}

// Close implements parser.BlockParser.
func (notes) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (notes) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (notes) CanAcceptIndentedLine() bool { return false }

// RegisterFuncs implements renderer.NodeRenderer.
func (notes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	write := func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		text, kind := "</blockquote>\n", noteOf(node)
		switch {
		case entering && kind != "":
			text = `<div class="note ` + kind + "\">\n"
		case entering:
			text = "<blockquote>\n"
		case kind != "":
			text = "</div>\n"
		}
		_, err := w.WriteString(text)
		return ast.WalkContinue, err
	}
	r.Register(ast.KindBlockquote, write)
}
