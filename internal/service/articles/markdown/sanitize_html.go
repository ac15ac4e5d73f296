package markdown

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// policy is immutable and the same in all worlds of a process.
var policy = sync.OnceValue(newPolicy)

// newPolicy is the allow-list: what is not named here is dropped. No element has a
// name, and ids begin with a prefix of ours: a script in the page around the text
// finds its own elements by theirs.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	// A counted repetition would keep megabytes of compiled expression.
	words := regexp.MustCompile(`^[a-zA-Z0-9_ -]+$`)
	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("lang").Matching(words).Globally()
	p.AllowAttrs("title").Matching(bluemonday.Paragraph).Globally()
	p.AllowElements("article", "aside", "figure", "figcaption", "section", "summary", "hgroup",
		"h1", "h2", "h3", "h4", "h5", "h6",
		"br", "div", "hr", "p", "span", "wbr", "b", "i", "pre", "small", "strike", "tt", "u", "rp", "rt", "ruby",
		"abbr", "acronym", "cite", "code", "dfn", "em", "mark", "s", "samp", "strong", "sub", "sup", "var")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`(?i)^(|open)$`)).OnElements("details")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("cite").OnElements("blockquote", "q")
	p.AllowAttrs("cite").Matching(bluemonday.Paragraph).OnElements("del", "ins")
	p.AllowAttrs("datetime").Matching(bluemonday.ISO8601).OnElements("time", "del", "ins")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).OnElements("bdi", "bdo")
	p.AllowAttrs("value", "min", "max", "low", "high", "optimum").Matching(bluemonday.Number).OnElements("meter")
	p.AllowAttrs("value", "max").Matching(bluemonday.Number).OnElements("progress")
	p.AllowLists()
	p.AllowTables()
	p.AllowImages() // and the common schemes of addresses
	allowRendered(p, words)
	p.RequireNoFollowOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}

// allowRendered lets through what the renderer writes itself.
func allowRendered(p *bluemonday.Policy, words *regexp.Regexp) {
	// The classes that the renderer writes, and the short ones of code. Others
	// could borrow the style of the page around the text.
	classes := regexp.MustCompile(`^(?:(?:code-frame|code-lang|highlight|bold|note|info|warn|alert|user-mention|math|` +
		`task-list-item|task-list-item-checkbox|footnotes|footnote-ref|footnote-backref|[a-z][a-z0-9]{0,2})(?: |$))+$`)
	headingID := regexp.MustCompile(`^` + anchorPrefix + `[\p{L}\p{N}\p{M}:_.-]+$`)
	p.AllowAttrs("class").Matching(classes).
		OnElements("div", "span", "pre", "code", "a", "li", "sup", "section", "input")
	p.AllowAttrs("data-lang").Matching(words).OnElements("div")
	p.AllowAttrs("id").Matching(headingID).OnElements("h1", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("id").Matching(regexp.MustCompile(`^fn(?:ref)?[0-9]*:[0-9]+$`)).OnElements("li", "sup")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("td", "th")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	p.AllowAttrs("aria-label").Matching(words).OnElements("input")
}
