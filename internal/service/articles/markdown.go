package articles

import (
	"bytes"
	"fmt"
	"html"
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markdownhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// rendererVersion grows with every change of what is rendered. What an older one
// made is rendered again in the background.
const rendererVersion = 4

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
				parser.WithASTTransformers(util.Prioritized(taskItems{}, 900), util.Prioritized(colours{}, 901)),
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
