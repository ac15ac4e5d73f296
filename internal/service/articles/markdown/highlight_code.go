package markdown

import (
	"context"
	"fmt"
	"html"
	"path"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// codeBlocks renders fenced code with a title and with classes for highlighter.
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
	language, title := attribute(block, languageAttribute), attribute(block, titleAttribute)
	code := attribute(block, highlightedAttribute)
	if code == "" {
		code = html.EscapeString(codeOf(block, source))
	}
	fmt.Fprintf(w, `<div class="code-frame" data-lang="%s">`, html.EscapeString(language))
	if title != "" {
		fmt.Fprintf(w, `<div class="code-lang"><span class="bold">%s</span></div>`, html.EscapeString(title))
	}
	fmt.Fprintf(w, `<div class="highlight"><pre><code>%s</code></pre></div></div>`+"\n", code)
	return ast.WalkSkipChildren, nil
}

// The bounds of finding languages: a name is compared with the patterns of all,
// which takes a millisecond. Names beyond these are no language.
const (
	maxLanguage  = 64
	maxLanguages = 50
)

// languages remembers the languages that a text names.
type languages map[string]string

// read reads "language", "language:title" and "file.ext".
func (l languages) read(info string) (language, title string) {
	word, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	name, title, found := strings.Cut(word, ":")
	if !found && path.Ext(name) != "" {
		title = name
	}
	return l.find(name), title
}

func (l languages) find(name string) string {
	if language, known := l[name]; known {
		return language
	}
	if name == "" || len(name) > maxLanguage || len(l) >= maxLanguages {
		return "text"
	}
	l[name] = "text"
	if known := languageName(name); known != "" {
		l[name] = strings.ToLower(strings.Fields(known + " text")[0])
	} else if name == "math" || name == "mermaid" || name == "plantuml" {
		l[name] = name // drawn by the page
	}
	return l[name]
}

// highlighter colours the code of a text by class, before it is rendered.
type highlighter struct{}

// The bounds of colouring one text: lexers backtrack, and an open comment makes
// them walk through all that follows at every character. What is left when time
// is up, and every block that is longer, stays as it was written.
const (
	maxHighlightTime = 2 * time.Second
	maxBlock         = 64 << 10
	// maxHighlighted is how much code of one text is coloured, and highlightMemory
	// the memory that a byte of it stands for: each may get an element.
	maxHighlighted  = 256 << 10
	highlightMemory = 32
)

// The attributes of a block that Transform leaves for the renderer: the coloured
// code, the language and the title.
const (
	highlightedAttribute = "data-highlighted"
	languageAttribute    = "data-language"
	titleAttribute       = "data-title"
)

// Transform implements parser.ASTTransformer.
func (highlighter) Transform(node *ast.Document, reader text.Reader, pc parser.Context) {
	left, named := maxHighlighted, languages{}
	ctx, cancel := context.WithTimeout(context.Background(), maxHighlightTime)
	defer cancel()
	// The walk never fails: the function does not.
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		info := ""
		if block.Info != nil {
			info = string(block.Info.Segment.Value(reader.Source()))
		}
		language, title := named.read(info)
		block.SetAttributeString(languageAttribute, language)
		block.SetAttributeString(titleAttribute, title)
		code := codeOf(block, reader.Source())
		if info == "" || len(code) > min(left, maxBlock) {
			return ast.WalkSkipChildren, nil
		}
		left -= len(code)
		b := budgetOf(pc)
		b.check(b.memory.Grow(highlightMemory * int64(len(code))))
		if text := highlight(ctx, language, code); text != "" {
			block.SetAttributeString(highlightedAttribute, text)
		}
		return ast.WalkSkipChildren, nil
	})
}

// attribute is what Transform left at a block; empty where it left nothing.
func attribute(block *ast.FencedCodeBlock, name string) string {
	value, _ := block.AttributeString(name)
	text, _ := value.(string)
	return text
}

// codeOf is the code of a block.
func codeOf(block *ast.FencedCodeBlock, source []byte) string {
	var code strings.Builder
	for n := range block.Lines().Len() {
		line := block.Lines().At(n)
		code.Write(line.Value(source))
	}
	return code.String()
}
