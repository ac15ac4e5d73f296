//go:build !small

package markdown

import (
	"context"
	"html"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// languageName is the full name of a language; empty means that it is not known.
func languageName(word string) string {
	if lexer := lexers.Get(word); lexer != nil {
		return lexer.Config().Name
	}
	return ""
}

// highlight marks code by class; empty means that it stays as it is.
func highlight(ctx context.Context, language, code string) string {
	lexer := lexers.Get(language)
	if lexer == nil || ctx.Err() != nil {
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
