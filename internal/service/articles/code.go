package articles

import (
	"context"
	"fmt"
	"html"
	"path"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// codeBlocks renders fenced code with a title and with classes for colours.
type codeBlocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, renderCode)
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	block, ok := node.(*ast.FencedCodeBlock)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	info := ""
	if block.Info != nil {
		info = string(block.Info.Segment.Value(source))
	}
	language, title := codeInfo(info)
	code := coloured(block)
	if code == "" {
		code = html.EscapeString(listing(block, source))
	}
	fmt.Fprintf(w, `<div class="code-frame" data-lang="%s">`, html.EscapeString(language))
	if title != "" {
		fmt.Fprintf(w, `<div class="code-lang"><span class="bold">%s</span></div>`, html.EscapeString(title))
	}
	fmt.Fprintf(w, `<div class="highlight"><pre><code>%s</code></pre></div></div>`+"\n", code)
	return ast.WalkSkipChildren, nil
}

// codeInfo reads "language", "language:title" and "file.ext".
func codeInfo(info string) (language, title string) {
	word, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	language, title, found := strings.Cut(word, ":")
	if !found && path.Ext(language) != "" {
		title = language
	}
	if lexer := lexers.Get(language); lexer != nil {
		return strings.ToLower(strings.Fields(lexer.Config().Name + " text")[0]), title
	}
	if language == "math" || language == "mermaid" || language == "plantuml" {
		return language, title // drawn by whoever shows the page
	}
	return "text", title
}

// colours marks the code of a text by class, before it is rendered.
type colours struct{}

// The bounds of colouring one text: lexers backtrack, and an open comment makes
// them walk through all that follows at every character. What is left when time
// is up, and every listing that is longer, stays as it was written.
const (
	colourTime     = 2 * time.Second
	maxHighlighted = 64 << 10
)

// colourMark is the attribute that holds the coloured code of a block.
const colourMark = "data-coloured"

// Transform implements parser.ASTTransformer.
func (colours) Transform(node *ast.Document, reader text.Reader, _ parser.Context) {
	ctx, cancel := context.WithTimeout(context.Background(), colourTime)
	defer cancel()
	// The walk never fails: the visitor does not.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering || block.Info == nil {
			return ast.WalkContinue, nil
		}
		language, _ := codeInfo(string(block.Info.Segment.Value(reader.Source())))
		if text := highlight(ctx, language, listing(block, reader.Source())); text != "" {
			block.SetAttributeString(colourMark, text)
		}
		return ast.WalkSkipChildren, nil
	})
}

// coloured is what Transform left at a block; empty where it left nothing.
func coloured(block *ast.FencedCodeBlock) string {
	value, _ := block.AttributeString(colourMark)
	text, _ := value.(string)
	return text
}

// listing is the text of a block.
func listing(block *ast.FencedCodeBlock, source []byte) string {
	var code strings.Builder
	for n := range block.Lines().Len() {
		line := block.Lines().At(n)
		code.Write(line.Value(source))
	}
	return code.String()
}

// highlight marks code by class; empty means that it stays as it is.
func highlight(ctx context.Context, language, code string) string {
	lexer := lexers.Get(language)
	if lexer == nil || len(code) > maxHighlighted || ctx.Err() != nil {
		return ""
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return ""
	}
	var out strings.Builder
	out.Grow(3 * len(code))
	for t := tokens(); t != chroma.EOF; t = tokens() {
		if ctx.Err() != nil {
			return ""
		}
		text := html.EscapeString(t.Value)
		// Blanks need no colour.
		if class := tokenClass(t.Type); class != "" && class != "w" {
			out.WriteString(`<span class="` + class + `">` + text + `</span>`)
		} else {
			out.WriteString(text)
		}
	}
	return out.String()
}

// tokenClass is the short class that style sheets for code use everywhere; plain
// text has none.
func tokenClass(t chroma.TokenType) string {
	for ; t != 0; t = t.Parent() {
		if class, ok := chroma.StandardTypes[t]; ok {
			return class
		}
	}
	return ""
}
