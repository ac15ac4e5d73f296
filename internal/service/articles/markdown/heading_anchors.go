package markdown

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// anchorPrefix is what the ids of headings begin with, so that none of them is
// the id of something in the page around the text.
const anchorPrefix = "h-"

// anchors gives headings their ids: the text in lower case without punctuation,
// blanks as hyphens, and a number when it was there before.
type anchors struct{ seen map[string]int }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	if id == "" {
		id = "section"
	}
	n := a.seen[id]
	a.seen[id]++
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(anchorPrefix + id)
}

// Put implements parser.IDs.
func (a *anchors) Put(value []byte) { a.seen[string(value)]++ }

// fragments leads links within a text to the anchors of its headings.
type fragments struct{}

// Transform implements parser.ASTTransformer.
func (fragments) Transform(node *ast.Document, _ text.Reader, _ parser.Context) {
	// The walk never fails: the function does not.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering || len(link.Destination) < 2 || link.Destination[0] != '#' {
			return ast.WalkContinue, nil
		}
		if name := string(link.Destination[1:]); !strings.HasPrefix(name, anchorPrefix) {
			link.Destination = []byte("#" + anchorPrefix + name)
		}
		return ast.WalkContinue, nil
	})
}
