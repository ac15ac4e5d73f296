package articles

import (
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markdownhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
)

// rendererVersion grows with every change of what is rendered. What an older one
// made is rendered again in the background.
const rendererVersion = 5

// markdown turns what people write into HTML that is safe to show. The same
// text always gives the same HTML, or the same refusal. It is safe for
// concurrent use.
type markdown struct {
	parser   parser.Parser
	renderer renderer.Renderer
	safe     *bluemonday.Policy
	emoji    map[string]string
	// memory is the process's; places is how many texts are rendered at once.
	memory, places *budget.Pool
}

// The places of rendering: a few in all, which owners share.
const (
	renderPlaces   = 8
	ownerPlaces    = 2
	renderPatience = 10 * time.Second
)

func newMarkdown(memory *budget.Pool) *markdown {
	blocks, faces := newNotes(), emoji()
	return &markdown{
		emoji: faces, memory: memory, safe: safeHTML(),
		places: budget.New(budget.Options{Name: "articles.render", Total: renderPlaces, PerOwner: ownerPlaces, Wait: renderPatience}),
		parser: parser.NewParser(
			parser.WithAutoHeadingID(),
			parser.WithBlockParsers(counted(append(parser.DefaultBlockParsers(),
				util.Prioritized(blocks, 750), util.Prioritized(extension.NewFootnoteBlockParser(), 999),
			)...)...),
			parser.WithInlineParsers(counted(append(parser.DefaultInlineParsers(),
				util.Prioritized(extension.NewTaskCheckBoxParser(), 0), util.Prioritized(extension.NewFootnoteParser(), 101),
				util.Prioritized(extension.NewStrikethroughParser(), 500), util.Prioritized(inlines{faces}, 550),
				util.Prioritized(extension.NewLinkifyParser(), 999),
			)...)...),
			parser.WithParagraphTransformers(
				util.Prioritized(references{}, 50), util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
				util.Prioritized(knots{lines: true}, 150), util.Prioritized(tableSizes{}, 190),
				util.Prioritized(extension.NewTableParagraphTransformer(), 200), util.Prioritized(knots{}, 250),
			),
			parser.WithASTTransformers(
				util.Prioritized(extension.NewTableASTTransformer(), 0), util.Prioritized(taskItems{}, 900),
				util.Prioritized(colours{}, 901), util.Prioritized(fragments{}, 902), util.Prioritized(extension.NewFootnoteASTTransformer(), 999),
			),
		),
		renderer: renderer.NewRenderer(renderer.WithNodeRenderers(
			// Raw HTML passes here because safe cleans everything afterwards.
			util.Prioritized(markdownhtml.NewRenderer(markdownhtml.WithUnsafe(), markdownhtml.WithHardWraps()), 1000),
			util.Prioritized(extension.NewFootnoteHTMLRenderer(), 500), util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
			// The other way to align is a style, which safe does not let through.
			util.Prioritized(extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
			util.Prioritized(codeBlocks{}, 100), util.Prioritized(blocks, 100), util.Prioritized(checkBoxes{}, 100),
		)),
	}
}

// safeHTML is the allow-list. Whatever is not named here is dropped. No element
// has a name, and ids begin with a prefix of ours: a script in the page around
// the text finds its own elements by theirs.
func safeHTML() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	// A counted repetition would keep megabytes of compiled expression.
	words := regexp.MustCompile(`^[a-zA-Z0-9_ -]+$`)
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("lang").Matching(words).Globally()
	p.AllowAttrs("title").Matching(bluemonday.Paragraph).Globally()
	p.AllowElements("article", "aside", "figure", "figcaption", "section", "summary", "hgroup", "h1", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`(?i)^(|open)$`)).OnElements("details")
	p.AllowElements("br", "div", "hr", "p", "span", "wbr", "b", "i", "pre", "small", "strike", "tt", "u", "rp", "rt", "ruby",
		"abbr", "acronym", "cite", "code", "dfn", "em", "mark", "s", "samp", "strong", "sub", "sup", "var")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("cite").OnElements("blockquote", "q")
	p.AllowAttrs("cite").Matching(bluemonday.Paragraph).OnElements("del", "ins")
	p.AllowAttrs("datetime").Matching(bluemonday.ISO8601).OnElements("time", "del", "ins")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).OnElements("bdi", "bdo")
	p.AllowAttrs("value", "min", "max", "low", "high", "optimum").Matching(bluemonday.Number).OnElements("meter")
	p.AllowAttrs("value", "max").Matching(bluemonday.Number).OnElements("progress")
	p.AllowLists()
	p.AllowTables()
	p.AllowImages() // and the usual schemes of addresses
	allowOwn(p, words)
	p.RequireNoFollowOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// allowOwn lets through what the renderer writes itself.
func allowOwn(p *bluemonday.Policy, words *regexp.Regexp) {
	// The classes that the renderer writes, and the short ones of code. Others
	// could borrow the looks of the page around the text.
	classes := regexp.MustCompile(`^(?:(?:code-frame|code-lang|highlight|bold|note|info|warn|alert|user-mention|math|task-list-item|task-list-item-checkbox|` +
		`footnotes|footnote-ref|footnote-backref|[a-z][a-z0-9]{0,2})(?: |$))+$`)
	p.AllowAttrs("class").Matching(classes).OnElements("div", "span", "pre", "code", "a", "li", "sup", "section", "input")
	p.AllowAttrs("data-lang").Matching(words).OnElements("div")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^`+anchorPrefix+`[\p{L}\p{N}\p{M}:_.-]+$`)).OnElements("h1", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^fn(?:ref)?[0-9]*:[0-9]+$`)).OnElements("li", "sup")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("td", "th")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	p.AllowAttrs("aria-label").Matching(words).OnElements("input")
}

// render gives the HTML of a text that somebody sends now. One that is too
// complex is refused with the reason.
func (m *markdown) render(ctx context.Context, owner budget.Owner, text string) (out string, err error) {
	place, err := m.places.Take(ctx, owner, 1)
	if err != nil {
		return "", err
	}
	defer place.Release()
	grant, err := m.memory.Take(ctx, owner, textWeight*int64(len(text)))
	if err != nil {
		return "", err
	}
	defer grant.Release()
	if err := tangled(text); err != nil {
		return "", err
	}
	defer func() {
		if v := recover(); v != nil {
			stop, ok := v.(renderStop)
			if !ok {
				panic(v)
			}
			out, err = "", stop.err
		}
	}()
	return m.convert([]byte(text), newRenderBudget(ctx, grant))
}

// convert parses, renders and cleans within a budget, whose end is a panic.
func (m *markdown) convert(source []byte, b *renderBudget) (string, error) {
	pc := parser.NewContext(parser.WithIDs(&anchors{seen: map[string]int{}}))
	pc.Set(renderBudgetKey, b)
	tree := m.parser.Parse(text.NewReader(source), parser.WithContext(pc))
	raw := &boundedHTML{budget: b}
	if err := m.renderer.Render(raw, source, tree); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	clean := &boundedHTML{budget: b}
	if err := m.safe.SanitizeReaderToWriter(strings.NewReader(raw.text.String()), clean); err != nil {
		return "", fmt.Errorf("clean HTML: %w", err)
	}
	return clean.text.String(), nil
}

// renderStored gives the HTML of a text that was stored already. What render
// refuses is shown as it was written, with the reason.
func (m *markdown) renderStored(ctx context.Context, owner budget.Owner, text string) (string, error) {
	out, err := m.render(ctx, owner, text)
	var busy *limit.Exceeded
	if err == nil || errors.As(err, &busy) || ctx.Err() != nil {
		return out, err
	}
	reason := "The text cannot be shown as Markdown"
	var refused *Error
	if errors.As(err, &refused) {
		reason = refused.Message
	}
	return "<p>" + html.EscapeString(reason) + "</p>\n<pre>" + html.EscapeString(text) + "</pre>\n", nil
}

// fragments leads links within a text to the anchors of its headings.
type fragments struct{}

// Transform implements parser.ASTTransformer.
func (fragments) Transform(node *ast.Document, _ text.Reader, _ parser.Context) {
	// The walk never fails: the visitor does not.
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
