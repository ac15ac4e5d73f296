package markdown

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

func newRenderer(memory *budget.Pool) *Renderer { return New(memory, "/articles") }

func render(m *Renderer, text string) (string, error) {
	return m.Render(context.Background(), budget.Caller("ada"), text)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	m := newRenderer(nil)
	for name, row := range map[string]struct{ text, want string }{
		"emphasis":          {"*a*", "<em>a</em>"},
		"a hard break":      {"a\nb", "a<br>"},
		"heading":           {"## Über uns", `<h2 id=`},
		"table":             {"|a|b|\n|-|-|\n|1|2|", "<td>1</td>"},
		"aligned":           {"|a|\n|-:|\n|1|", `<td align="right">1</td>`},
		"no borrowed looks": {`<a class="button" href="/x">a</a>`, `<a href="/x" rel="nofollow">a</a>`},
		"struck":            {"~~a~~", "<del>a</del>"},
		"task":              {"- [x] a", `type="checkbox"`},
		"code": {"```go\nfunc main() {}\n```",
			`<div class="code-frame" data-lang="go"><div class="highlight"><pre><code>`},
		"code coloured": {"```go\nfunc main() {}\n```", `<span class="kd">func</span>`},
		"code title": {"```go:main.go\nx\n```",
			`<div class="code-lang"><span class="bold">main.go</span></div>`},
		"unknown code": {"```nonsense\n<b>\n```", "&lt;b&gt;"},
		"math":         {"```math\na^2\n```", `data-lang="math"`},
		"footnote":     {"a[^1]\n\n[^1]: b", "footnote"},
		"note": {":::note warn\nMind *it*.\n:::\nafter",
			"<div class=\"note warn\">\n<p>Mind <em>it</em>.</p>\n</div>\n<p>after</p>"},
		"plain note":   {":::note\n- a\n- b\n:::", "<div class=\"note info\">\n<ul>"},
		"open note":    {":::note alert\na", "<div class=\"note alert\">\n<p>a</p>\n</div>"},
		"no such note": {":::note evil\"x\na\n:::", ":::note evil"},
		"mention": {"hi @ada_l, see",
			`hi <a href="/articles/ada_l" class="user-mention" title="ada_l" rel="nofollow">@ada_l</a>, see`},
		"an address":    {"ada@example.com", `<a href="mailto:ada@example.com"`},
		"quoted":        {"> @grace", "@grace</p>"},
		"mention, code": {"`@grace`", "<code>@grace</code>"},
		"emoji":         {"a :tada: b", "a 🎉 b"},
		"no emoji":      {"10:30:20 :nothing:", "10:30:20 :nothing:"},
		"emoji, code":   {"`:tada:`", ":tada:"},
		"formula": {"$a_1 * b_1$ and $`x<y`$",
			`<span class="math">a_1 * b_1</span> and <span class="math">x&lt;y</span>`},
		"prices": {"$5 and $6", "$5 and $6"},
		"task class": {"- [ ] a",
			`<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" ` +
				`aria-label="to do" disabled=""> a`},
		"anchor":        {"## 日本語 Go!", `<h2 id="h-日本語-go">`},
		"second anchor": {"# a\n# a", `<h1 id="h-a-1">`},
		"to an anchor":  {"[b](#a)\n# a", `<a href="#h-a" rel="nofollow">b</a></p>` + "\n" + `<h1 id="h-a">`},
		"no borrowed id": {`<div id="main"><h1 id="main">a</h1><ul><li id="main">`,
			"<div><h1>a</h1><ul><li></li></ul></div>"},
		"no way out":     {"<div>a</div></div></section>\n\n</article>", "<div>a</div>\n"},
		"closed":         {"<details><summary>a\n\nb", "<details><summary>a\n<p>b</p>\n</summary></details>"},
		"self-closing":   {"<div/>a", "<div/>a</div>"},
		"wrong order":    {"<b><i>a</b>c</i>", "<b><i>a</i></b>c"},
		"item, no list":  {"<p><li>a</li></p>", "<p>a</p>"},
		"items, no ends": {"<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"},
		"item in a box":  {"<ul><div><li>a</li></div></ul>", "<ul><div>a</div></ul>"},
		"term, no list":  {"<dt>a</dt><dl><dt>b<dd>c</dl>", "a<dl><dt>b</dt><dd>c</dd></dl>"},
		"no borrowed name": {`<map name="main"></map><img name="main" src="/a"><a name="main" href="/b">a</a>`,
			`<img src="/a"><a href="/b" rel="nofollow">a</a>`},
		"footnote ids": {"a[^1]\n\n[^1]: b", `<li id="fn:1">`},
		"link":         {"[a](https://a.example)", `rel="nofollow noopener"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := render(m, row.text)
			if err != nil || !strings.Contains(got, row.want) {
				t.Errorf("got %q, %v, want %q in it", got, err, row.want)
			}
			if again, _ := render(m, row.text); again != got {
				t.Errorf("a second time: got %q, want %q", again, got)
			}
		})
	}
}

// TestMarkdownIsSafe feeds known ways to smuggle a script.
func TestMarkdownIsSafe(t *testing.T) {
	t.Parallel()
	m := newRenderer(nil)
	for _, text := range []string{
		`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `[a](javascript:alert(1))`,
		`[a](JaVaScRiPt:alert(1))`,
		`[a](data:text/html;base64,PHNjcmlwdD4=)`, `<svg onload=alert(1)>`,
		`<iframe src="javascript:alert(1)"></iframe>`, `<a href="vbscript:x">a</a>`,
		`<math><mtext><script>alert(1)</script></mtext></math>`,
		`<div style="background:url(javascript:alert(1))">a</div>`,
		`<form action="https://a.example"><input name=a></form>`,
		"```\"><script>alert(1)</script>\nx\n```", "```go:\"><script>alert(1)</script>\nx\n```",
		`<b onmouseover=alert(1)>a</b>`, `![a](javascript:alert(1))`,
		`<object data="x"></object>`, `<embed src="x">`, `<base href="https://a.example">`,
		`<meta http-equiv=refresh content="0;url=x">`, `<<script>script>alert(1)</script>`,
	} {
		got, err := render(m, text)
		if err != nil {
			t.Fatal(err)
		}
		low := strings.ToLower(got)
		for _, bad := range []string{"<script", " onerror", " onload", " onmouseover", `href="javascript`,
			`href="vbscript`, `href="data:`, `src="javascript`, "<iframe", "<svg", "<object", "<embed",
			"<base", "<meta", "<form", "style="} {
			if strings.Contains(low, bad) {
				t.Errorf("%q gives %q, which holds %q", text, got, bad)
			}
		}
	}
}

// TestComplexTextIsPlain keeps the parser from texts that would take it minutes.
func TestComplexTextIsPlain(t *testing.T) {
	t.Parallel()
	m := newRenderer(nil)
	staircase := func(step, mark string) string {
		var b strings.Builder
		for n := 0; b.Len() < 1<<18; n++ {
			b.WriteString(strings.Repeat(step, n) + mark + " a\n")
		}
		return b.String()
	}
	var notes strings.Builder
	for n := range 5_000 {
		fmt.Fprintf(&notes, "a[^%d]\n\n[^%d]: b\n\n", n, n)
	}
	repeat := func(piece string) string { return strings.Repeat(piece, (1<<18)/len(piece)) }
	for name, text := range map[string]string{
		"quotes": repeat("> "), "quotes without blanks": repeat(">"), "bullets": repeat("- "),
		"numbers": repeat("1. "), "numbers in brackets": repeat("1) "), "quotes and lists": repeat("> 1. * "),
		"steps": staircase("  ", "-"), "steps by tabs": staircase("\t", "*"), "numbered steps": staircase("   ", "1."),
		"emphasis": repeat("*a_ "), "links": repeat("["), "pictures": repeat("!["),
		"footnotes": repeat("[^1]: "), "many footnotes": notes.String(), "tags": repeat("*<b>"),
		"lines of marks": repeat("*a_ [\n"), "a heading": "# " + repeat("*a_ "),
		"a heading below": repeat("*a_ [\n") + "===", "a heading in a footnote": "[^1]: # " + repeat("*a_ "),
		"a cell": "|a|\n|-|\n|" + repeat("*a_ ") + "|", "an item": "- " + repeat("*a_ [\n  "),
		"a note":                   ":::note\n" + repeat("*a_ [\n"),
		"little that becomes much": strings.Repeat(strings.Repeat("> ", 99)+"a\n\n", 2_000),
	} {
		got, err := m.RenderStored(t.Context(), budget.Caller("ada"), text)
		if err != nil || !strings.Contains(got[:min(len(got), 160)], "<pre>") || strings.Contains(got, "<em>") ||
			len(got) > 6<<20 {
			t.Errorf("%s: %d bytes, %.40q, %v, want plain text", name, len(got), got, err)
		}
	}
}

// TestLongTextIsRendered: what authors do write is rendered, however long it is.
func TestLongTextIsRendered(t *testing.T) {
	t.Parallel()
	m := newRenderer(nil)
	for name, text := range map[string]string{
		"a quote in a quote":          "> > ",
		"a frame":                     "```\n+" + strings.Repeat("-", 150) + "+\n```\n\n",
		"a rule":                      strings.Repeat("-", 200) + "\n\n",
		"stars in code":               "```c\n/*" + strings.Repeat("*", 200) + "/\n```\n\n",
		"names in code":               "```go\n" + strings.Repeat("a_b_c[d_e] = *f\n", 1000) + "```\n\n",
		"a line of code":              "```\n" + strings.Repeat("a_[", 2000) + "\n```\n\n",
		"a list":                      strings.Repeat("* [a](/b) **c**\n", 1000) + "\n",
		"a table":                     "|a|b|\n|-|-|\n" + strings.Repeat("|*a*|_b_|\n", 1000) + "\n",
		"as many footnotes as a book": strings.Repeat("a[^1] ", 200) + "\n\n[^1]: b\n\n",
	} {
		got, err := render(m, text+"*end*\n")
		if err != nil || !strings.Contains(got, "<em>end</em>") {
			t.Errorf("%s: %.60q … %q, %v, want Markdown", name, got, got[max(0, len(got)-60):], err)
		}
	}
}

// TestSlowCode: colouring an open comment takes a lexer time with the square of
// its length, minutes here. It is given up, and what is written stays whole.
func TestSlowCode(t *testing.T) {
	t.Parallel()
	block := "```go\n" + strings.Repeat("/*\n", 20_000) + "```\n\n"
	start := time.Now()
	got, err := render(newRenderer(nil), strings.Repeat(block, 5)+"*end*\n")
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %s, want seconds", took)
	}
	if lines := strings.Count(got, "/*\n"); err != nil || lines != 100_000 || strings.Contains(got, "<span") ||
		!strings.Contains(got, "<em>end</em>") {
		t.Errorf("%d lines, %.80q, %v, want 100000 plain lines", lines, got, err)
	}
}
