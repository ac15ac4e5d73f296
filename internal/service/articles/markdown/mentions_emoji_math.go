package markdown

import (
	"bytes"
	"html"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// inlines reads @name, :emoji: and $math$ within a line. Each becomes HTML right
// away, which the sanitiser sees like all other.
type inlines struct {
	emoji     map[string]string
	usersPath string
}

// Trigger implements parser.InlineParser.
func (inlines) Trigger() []byte { return []byte{'@', ':', '$'} }

// Parse implements parser.InlineParser.
func (p inlines) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	before := block.PrecendingCharacter()
	var size int
	var out string
	switch line[0] {
	case '@':
		if isWord(before) || before == '/' || inQuoteOrLink(parent) {
			return nil
		}
		size, out = p.mention(line)
	case ':':
		size, out = p.emojiAt(line)
	default:
		if before == '$' || before == '\\' {
			return nil
		}
		size, out = formula(line)
	}
	if size == 0 {
		return nil
	}
	block.Advance(size)
	s := ast.NewString([]byte(out))
	s.SetCode(true) // which means: written as it is
	return s
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// inQuoteOrLink reports whether a name here is not a mention.
func inQuoteOrLink(n ast.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == ast.KindLink || (n.Kind() == ast.KindBlockquote && noteOf(n) == "") {
			return true
		}
	}
	return false
}

// mention reads @name: 2 to 32 letters, digits, - and _, which nothing of the
// kind follows.
func (p inlines) mention(line []byte) (size int, out string) {
	n := 1
	for n < len(line) && (line[n] == '-' || (line[n] < utf8.RuneSelf && isWord(rune(line[n])))) {
		n++
	}
	name := string(line[1:n])
	if len(name) < 2 || len(name) > 32 {
		return 0, ""
	}
	if n < len(line) && (line[n] == '@' || line[n] == '/' && len(line) > n+1 && isWord(rune(line[n+1]))) {
		return 0, ""
	}
	return n, `<a href="` + p.usersPath + "/" + name + `" class="user-mention" title="` + name + `">@` + name + `</a>`
}

// emojiAt reads :name: of an emoji that is known.
func (p inlines) emojiAt(line []byte) (size int, out string) {
	end := bytes.IndexByte(line[1:], ':')
	if end < 1 || end > 40 {
		return 0, ""
	}
	glyph, ok := p.emoji[string(line[1:1+end])]
	if !ok {
		return 0, ""
	}
	return end + 2, glyph
}

// maxMath bounds a formula within a line.
const maxMath = 1000

// formula keeps a formula as it is, marked for the page that shows it. It is written
// $`a_1`$ or $a_1$; the latter not next to blanks or before a digit, so that
// prices stay prices.
func formula(line []byte) (size int, out string) {
	mark := func(text []byte) string { return `<span class="math">` + html.EscapeString(string(text)) + `</span>` }
	if bytes.HasPrefix(line, []byte("$`")) {
		end := bytes.Index(line[2:min(len(line), maxMath)], []byte("`$"))
		if end < 1 {
			return 0, ""
		}
		return end + 4, mark(line[2 : 2+end])
	}
	end := bytes.IndexByte(line[1:min(len(line), maxMath)], '$')
	if end < 1 {
		return 0, ""
	}
	inner, after := line[1:1+end], rune(' ')
	if end+2 < len(line) {
		after = rune(line[end+2])
	}
	blank := unicode.IsSpace(rune(inner[0])) || unicode.IsSpace(rune(inner[end-1]))
	if blank || unicode.IsDigit(after) || after == '$' {
		return 0, ""
	}
	return end + 2, mark(inner)
}
