package manual

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// example is one curl line that a page prints, taken apart.
type example struct {
	method, path string
	query        url.Values
	// data are the bodies in order: one JSON text, or the pairs of a form.
	data []string
}

// examples are the calls to this server that a text prints.
func examples(text string) []example {
	var out []example
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		words := shellWords(strings.TrimSpace(line))
		if len(words) == 0 || words[0] != "curl" {
			continue
		}
		if e, ok := readCurl(words[1:]); ok {
			out = append(out, e)
		}
	}
	return out
}

// readCurl understands the few options that our pages use.
func readCurl(words []string) (example, bool) {
	e := example{method: "GET"}
	asQuery, named := false, false
	for i := 0; i < len(words); i++ {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch word := words[i]; word {
		case "-X":
			e.method, named = value, true
			i++
		case "-d", "--data-urlencode":
			e.data = append(e.data, value)
			i++
		case "-G":
			asQuery = true
		case "-H", "-o":
			i++
		default:
			if rest, ok := strings.CutPrefix(word, "$STOA_URL/"); ok {
				path, query, _ := strings.Cut("/"+rest, "?")
				// The variable is an owner and a name.
				e.path = strings.ReplaceAll(path, "$STOA_REPO", "$STOA/$REPO")
				// A query that cannot be read is not shown.
				e.query, _ = url.ParseQuery(query)
			}
		}
	}
	if asQuery {
		more, _ := url.ParseQuery(strings.Join(e.data, "&")) // one that cannot be read is not shown
		e.query, e.data = more, nil
	}
	if len(e.data) > 0 && !named {
		e.method = "POST"
	}
	return e, e.path != ""
}

// shellWords splits a line as a shell does, as far as printed lines need it:
// quotes keep blanks, and a comment ends the line.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	started, quote := false, rune(0)
	for _, c := range line + " " {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, started = c, true
		case quote == 0 && c == '#' && !started:
			return words
		case quote == 0 && c == ' ':
			if started {
				words = append(words, word.String())
				word.Reset()
			}
			started = false
		default:
			word.WriteRune(c)
			started = true
		}
	}
	return words
}

// body is what the example sends, laid out for a form of that media type.
func (e example) body(kind string) string {
	if kind == "application/x-www-form-urlencoded" {
		return strings.Join(e.data, "&")
	}
	var out bytes.Buffer
	if len(e.data) != 1 || json.Indent(&out, []byte(e.data[0]), "", "  ") != nil {
		return ""
	}
	return out.String()
}
