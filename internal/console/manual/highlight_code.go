//go:build !small

package manual

import (
	"html"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// highlighted is the code as HTML with a class on what has a colour.
func highlighted(language, code string) string {
	lexer := lexers.Get(language)
	if lexer == nil {
		return html.EscapeString(code)
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return html.EscapeString(code)
	}
	var out strings.Builder
	for _, token := range tokens.Tokens() {
		text := html.EscapeString(token.Value)
		if class := tokenClass(token.Type); class != "" {
			text = `<span class="` + class + `">` + text + "</span>"
		}
		out.WriteString(text)
	}
	return out.String()
}

func tokenClass(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "hc"
	case t.InCategory(chroma.Keyword), t == chroma.NameTag:
		return "hk"
	case t.InSubCategory(chroma.LiteralString):
		return "hs"
	case t.InSubCategory(chroma.LiteralNumber):
		return "hn"
	case t == chroma.NameVariable, t == chroma.NameAttribute:
		return "hv"
	}
	return ""
}
