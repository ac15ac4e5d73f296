package manual

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	renderhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// blocks renders what the manual shows in its own way: code with colours and its
// language, headings with a link to themselves, tables in a box that scrolls.
type blocks struct{}

// RegisterFuncs says which nodes it renders.
func (blocks) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindFencedCodeBlock, renderCode)
	to.Register(ast.KindCodeBlock, renderCode)
	to.Register(ast.KindHeading, renderHeading)
	to.Register(tables.KindTable, renderTable)
}

// languages are the names that a reader knows, by what the Markdown says. A block
// without a word is a shell's.
func languages() map[string]string {
	return map[string]string{
		"": "Shell", "sh": "Shell", "bash": "Shell", "go": "Go", "js": "JavaScript", "javascript": "JavaScript",
		"ts": "TypeScript", "typescript": "TypeScript", "python": "Python", "py": "Python", "yaml": "YAML", "yml": "YAML",
		"json": "JSON", "text": "Text", "output": "Output", "sql": "SQL", "http": "HTTP", "java": "Java", "xml": "XML",
	}
}

// programLanguages are those that say the same thing in different ways where blocks of them follow each other: these
// become tabs, in this order. A configuration and the command that uses it, or an installation and the program after
// it, are steps.
func programLanguages() []string {
	return []string{"curl", "Go", "JavaScript", "TypeScript", "Python", "Java"}
}

// lexed are the languages whose Markdown word is not a lexer's name.
func lexed() map[string]string { return map[string]string{"": "bash", "sh": "bash", "output": "text"} }

func renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	word := ""
	if fenced, ok := n.(*ast.FencedCodeBlock); ok {
		word = string(fenced.Language(source))
	}
	title := languages()[word]
	if title == "" {
		title = word
	}
	var code strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	if title == "Shell" && strings.HasPrefix(code.String(), "curl ") {
		title = "curl" // as the API reference names it
	}
	if name, ok := lexed()[word]; ok {
		word = name
	}
	program := ""
	if slices.Contains(programLanguages(), title) {
		program = " data-program"
	}
	fmt.Fprint(w, `<div class="code" data-language="`+html.EscapeString(title)+`"`+program+`><pre tabindex="0"><code>`+
		highlighted(word, code.String())+"</code></pre></div>\n")
	return ast.WalkSkipChildren, nil
}

func renderHeading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	level := string(rune('0' + n.Level))
	id := ""
	if value, ok := n.AttributeString("id"); ok {
		id = string(value.([]byte))
	}
	if entering {
		fmt.Fprint(w, "<h"+level)
		renderhtml.RenderAttributes(w, node, renderhtml.HeadingAttributeFilter)
		fmt.Fprint(w, ">")
		return ast.WalkContinue, nil
	}
	if id != "" && n.Level > 1 {
		fmt.Fprint(w, ` <a class="anchor" href="#`+html.EscapeString(id)+`" aria-label="Link to this section">#</a>`)
	}
	fmt.Fprint(w, "</h"+level+">\n")
	return ast.WalkContinue, nil
}

func renderTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		fmt.Fprint(w, `<div class="wide" tabindex="0"><table>`+"\n")
	} else {
		fmt.Fprint(w, "</table></div>\n")
	}
	return ast.WalkContinue, nil
}
