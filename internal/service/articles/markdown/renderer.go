package markdown

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markdownhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
)

// Version grows with every change of what is rendered.
const Version = 8

// Renderer is safe for concurrent use.
type Renderer struct {
	parser   parser.Parser
	renderer renderer.Renderer
	policy   *bluemonday.Policy
	emoji    map[string]string
	// memory is the process's; slots is how many texts are rendered at once.
	memory, slots *budget.Pool
}

const (
	maxRenderings      = 8
	maxOwnerRenderings = 2
	maxWait            = 10 * time.Second
)

// New makes a Renderer that takes memory from the pool. The pages of users, which
// mentions lead to, are at usersPath/NAME.
func New(memory *budget.Pool, usersPath string) *Renderer {
	emoji, blocks := emojis(), newNotes()
	return &Renderer{
		parser: newParser(blocks, inlines{emoji, usersPath}), renderer: newHTMLRenderer(blocks), policy: policy(),
		emoji: emoji, memory: memory,
		slots: budget.New(budget.Options{
			Name: "articles.render", Total: maxRenderings, PerOwner: maxOwnerRenderings, Wait: maxWait,
		}),
	}
}

func newParser(notes notes, inlines inlines) parser.Parser {
	return parser.NewParser(
		parser.WithAutoHeadingID(),
		parser.WithBlockParsers(counted(append(parser.DefaultBlockParsers(),
			util.Prioritized(notes, 750),
			util.Prioritized(extension.NewFootnoteBlockParser(), 999),
		)...)...),
		parser.WithInlineParsers(counted(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(extension.NewFootnoteParser(), 101),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(inlines, 550),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		)...)...),
		parser.WithParagraphTransformers(
			util.Prioritized(referenceCounter{}, 50),
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(markLimit{perLine: true}, 150),
			util.Prioritized(cellCounter{}, 190),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
			util.Prioritized(markLimit{}, 250),
		),
		parser.WithASTTransformers(
			util.Prioritized(extension.NewTableASTTransformer(), 0),
			util.Prioritized(taskItems{}, 900),
			util.Prioritized(highlighter{}, 901),
			util.Prioritized(fragments{}, 902),
			util.Prioritized(extension.NewFootnoteASTTransformer(), 999),
		),
	)
}

func newHTMLRenderer(notes notes) renderer.Renderer {
	// The other way to align is a style, which the policy does not let through.
	align := extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)
	return renderer.NewRenderer(renderer.WithNodeRenderers(
		// Raw HTML passes here because the policy cleans everything afterwards.
		util.Prioritized(markdownhtml.NewRenderer(markdownhtml.WithUnsafe(), markdownhtml.WithHardWraps()), 1000),
		util.Prioritized(extension.NewFootnoteHTMLRenderer(), 500),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(extension.NewTableHTMLRenderer(align), 500),
		util.Prioritized(codeBlocks{}, 100), util.Prioritized(notes, 100), util.Prioritized(checkBoxes{}, 100),
	))
}

// Emoji is the character of an emoji; empty if there is none of the name.
func (m *Renderer) Emoji(name string) string { return m.emoji[name] }

// Render gives the HTML of a text. One that is too complex is refused with a
// ComplexityError or a budget.StepsError.
func (m *Renderer) Render(ctx context.Context, owner budget.Owner, text string) (out string, err error) {
	slot, err := m.slots.Take(ctx, owner, 1)
	if err != nil {
		return "", err
	}
	defer slot.Release()
	memory, err := m.memory.Take(ctx, owner, textMemory*int64(len(text)))
	if err != nil {
		return "", err
	}
	defer memory.Release()
	if err := checkLines(text); err != nil {
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
	return m.convert([]byte(text), &renderBudget{steps: budget.NewSteps(ctx, maxSteps), memory: memory})
}

// convert parses, renders and cleans within a budget, whose end is a panic.
func (m *Renderer) convert(source []byte, b *renderBudget) (string, error) {
	pc := parser.NewContext(parser.WithIDs(&anchors{seen: map[string]int{}}))
	pc.Set(renderBudgetKey, b)
	tree := m.parser.Parse(text.NewReader(source), parser.WithContext(pc))
	raw := &boundedHTML{budget: b}
	if err := m.renderer.Render(raw, source, tree); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	clean := &boundedHTML{budget: b}
	if err := m.policy.SanitizeReaderToWriter(strings.NewReader(raw.text.String()), clean); err != nil {
		return "", fmt.Errorf("clean HTML: %w", err)
	}
	if !bytes.ContainsRune(source, '<') {
		return clean.text.String(), nil // no HTML of the author's own
	}
	balanced := &boundedHTML{budget: b}
	if err := balance(balanced, clean.text.String()); err != nil {
		return "", fmt.Errorf("balance HTML: %w", err)
	}
	return balanced.text.String(), nil
}

// RenderStored gives the HTML of a text that was stored already. What Render
// refuses is shown as it was written, with the reason.
func (m *Renderer) RenderStored(ctx context.Context, owner budget.Owner, text string) (string, error) {
	out, err := m.Render(ctx, owner, text)
	var busy *limit.Exceeded
	if err == nil || errors.As(err, &busy) || ctx.Err() != nil {
		return out, err
	}
	reason := refusal
	var refused *ComplexityError
	if errors.As(err, &refused) {
		reason = refused.Error()
	}
	return "<p>" + html.EscapeString(reason) + "</p>\n<pre>" + html.EscapeString(text) + "</pre>\n", nil
}
