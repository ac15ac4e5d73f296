package articles

import (
	"bytes"
	"fmt"
	"html"
	"path"
	"regexp"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markdownhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// rendererVersion grows with every change of what is rendered. What an older one
// made is rendered again in the background.
const rendererVersion = 4

// maxHighlighted bounds the code that is coloured: lexers backtrack, and a
// longer listing stays as plain text.
const maxHighlighted = 64 << 10

// markdown turns what people write into HTML that is safe to show. The same
// text always gives the same HTML. It is safe for concurrent use.
type markdown struct {
	parser goldmark.Markdown
	safe   *bluemonday.Policy
	emoji  map[string]string
}

func newMarkdown() *markdown {
	blocks, faces := newNotes(), emoji()
	return &markdown{
		emoji: faces,
		parser: goldmark.New(
			goldmark.WithExtensions(
				extension.Linkify, extension.Strikethrough, extension.TaskList, extension.Footnote,
				// The other way to align is a style, which safe does not let through.
				extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			),
			goldmark.WithParserOptions(
				parser.WithAutoHeadingID(),
				parser.WithBlockParsers(util.Prioritized(blocks, 750)),
				parser.WithInlineParsers(util.Prioritized(inlines{faces}, 550)),
				// Tables are made of paragraphs at 200.
				parser.WithParagraphTransformers(util.Prioritized(knots{lines: true}, 150), util.Prioritized(knots{}, 250)),
				parser.WithASTTransformers(util.Prioritized(taskItems{}, 900)),
			),
			goldmark.WithRendererOptions(
				// Raw HTML passes here because safe cleans everything afterwards.
				markdownhtml.WithUnsafe(), markdownhtml.WithHardWraps(),
				renderer.WithNodeRenderers(util.Prioritized(codeBlocks{}, 100), util.Prioritized(blocks, 100), util.Prioritized(checkBoxes{}, 100)),
			),
		),
		safe: safeHTML(),
	}
}

// safeHTML is the allow-list. Whatever is not named here is dropped.
func safeHTML() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	// A counted repetition would keep megabytes of compiled expression.
	words := regexp.MustCompile(`^[a-zA-Z0-9_ -]+$`)
	// The classes that the renderer writes, and the short ones of code. Others
	// could borrow the looks of the page around the text.
	classes := regexp.MustCompile(`^(?:(?:code-frame|code-lang|highlight|bold|note|info|warn|alert|user-mention|math|task-list-item|task-list-item-checkbox|` +
		`footnotes|footnote-ref|footnote-backref|[a-z][a-z0-9]{0,2})(?: |$))+$`)
	p.AllowAttrs("class").Matching(classes).OnElements("div", "span", "pre", "code", "a", "li", "sup", "section", "input")
	p.AllowAttrs("data-lang").Matching(words).OnElements("div")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^[\p{L}\p{N}:_.-]+$`)).OnElements("h1", "h2", "h3", "h4", "h5", "h6", "li", "sup")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("td", "th")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	p.AllowAttrs("aria-label").Matching(words).OnElements("input")
	p.RequireNoFollowOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// maxRendered bounds the HTML of one text, which is kept and sent with it: quotes
// within quotes make fourteen bytes of one.
const maxRendered = 4 << 20

// render gives the HTML of a text. A tangled one, or one that grows out of all
// proportion, is shown as it was written.
func (m *markdown) render(text string) (string, error) {
	plain := func() string { return "<pre>" + html.EscapeString(text) + "</pre>\n" }
	if tangled(text) {
		return plain(), nil
	}
	var out bytes.Buffer
	ids := parser.NewContext(parser.WithIDs(&anchors{seen: map[string]int{}}))
	if err := m.parser.Convert([]byte(text), &out, parser.WithContext(ids)); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	if out.Len() > maxRendered {
		return plain(), nil
	}
	return string(m.safe.SanitizeBytes(out.Bytes())), nil
}

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
	var code strings.Builder
	for n := range block.Lines().Len() {
		line := block.Lines().At(n)
		code.Write(line.Value(source))
	}
	fmt.Fprintf(w, `<div class="code-frame" data-lang="%s">`, html.EscapeString(language))
	if title != "" {
		fmt.Fprintf(w, `<div class="code-lang"><span class="bold">%s</span></div>`, html.EscapeString(title))
	}
	fmt.Fprintf(w, `<div class="highlight"><pre><code>%s</code></pre></div></div>`+"\n", highlight(language, code.String()))
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

// highlight marks code by class; what no lexer knows stays as it is.
func highlight(language, code string) string {
	lexer := lexers.Get(language)
	if lexer == nil || len(code) > maxHighlighted {
		return html.EscapeString(code)
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return html.EscapeString(code)
	}
	var out strings.Builder
	out.Grow(3 * len(code))
	for t := tokens(); t != chroma.EOF; t = tokens() {
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
