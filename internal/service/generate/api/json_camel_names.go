package api

import (
	"bytes"
	"strings"
	"unicode"
)

// CamelNames rewrites the member names of a JSON text from snake_case to
// lowerCamelCase, because requests may use either. The text must already be
// known to be valid JSON. What clients name themselves stays as it is: the
// names inside properties, and everything inside free-form values. brand maps
// further spellings of our own members to the contract's. written is how the text spelt
// what was rewritten.
func CamelNames(b []byte, brand map[string]string) (named []byte, written Spelling) {
	if bytes.IndexByte(b, '_') < 0 && !mentions(b, brand) {
		return b, nil
	}
	w := nameRewriter{in: b, out: make([]byte, 0, len(b)), brand: brand, written: Spelling{}}
	w.value(ownNames)
	return w.out, w.written
}

func mentions(b []byte, brand map[string]string) bool {
	for name := range brand {
		if bytes.Contains(b, []byte(name)) {
			return true
		}
	}
	return false
}

// How the names of an object are treated.
const (
	ownNames    = iota // our own members
	resultNames        // those of a functionResponse, with a free-form response
	clientNames        // names of the client, with our own members below them
	verbatim           // the client's, all the way down
)

// namesInside is how the value of a member is treated.
func namesInside(mode int, name string) int {
	switch {
	case mode == verbatim || mode == resultNames && name == "response":
		return verbatim
	case mode == clientNames:
		return ownNames
	}
	switch name {
	case "properties":
		return clientNames
	case "functionResponse":
		if mode == ownNames {
			return resultNames
		}
	case "args", "parametersJsonSchema", "responseJsonSchema", "_responseJsonSchema", "partMetadata", "example",
		"default", "metadata":
		return verbatim
	}
	return ownNames
}

type nameRewriter struct {
	in  []byte
	pos int
	out []byte
	// brand is empty where only the contract's spelling is taken.
	brand map[string]string
	// written has the first spelling of each name that was rewritten, of a few.
	written Spelling
	// relax also rewrites values; relaxed is true once one was.
	relax, relaxed bool
}

func (w *nameRewriter) value(mode int) {
	w.space()
	if w.pos >= len(w.in) {
		return
	}
	switch w.in[w.pos] {
	case '{':
		w.object(mode)
	case '[':
		if mode == resultNames {
			mode = ownNames
		}
		w.array(mode)
	case '"':
		w.out = append(w.out, w.text()...)
	default:
		start := w.pos
		for w.pos < len(w.in) && bytes.IndexByte([]byte(",]} \t\r\n"), w.in[w.pos]) < 0 {
			w.pos++
		}
		w.out = append(w.out, w.in[start:w.pos]...)
	}
	w.space()
}

func (w *nameRewriter) array(mode int) {
	w.copyByte()
	for w.space(); w.pos < len(w.in) && w.in[w.pos] != ']'; w.space() {
		start := w.pos
		w.value(mode)
		if w.pos < len(w.in) && w.in[w.pos] == ',' {
			w.copyByte()
		}
		if w.pos == start {
			return // a closing brace: not JSON
		}
	}
	w.copyByte()
}

func (w *nameRewriter) object(mode int) {
	w.copyByte()
	for w.space(); w.pos < len(w.in) && w.in[w.pos] != '}'; w.space() {
		quoted := w.text()
		if len(quoted) == 0 {
			return
		}
		name := quoted[1 : len(quoted)-1]
		given := name
		if mode == ownNames || mode == resultNames {
			name = camelName(name)
		}
		if neutral, ok := w.brand[string(name)]; ok && mode == ownNames {
			name = []byte(neutral)
		}
		w.note(given, name)
		w.out = append(append(append(w.out, '"'), name...), '"')
		w.space()
		w.copyByte() // the colon
		if !w.relax || mode != ownNames || !w.relaxedValue(string(name)) {
			w.value(namesInside(mode, string(name)))
		}
		if w.pos < len(w.in) && w.in[w.pos] == ',' {
			w.copyByte()
		}
	}
	w.copyByte()
}

// maxWritten bounds how many spellings are remembered: there are no more members.
const maxWritten = 200

func (w *nameRewriter) note(given, name []byte) {
	if w.written == nil || len(w.written) >= maxWritten || bytes.Equal(given, name) {
		return
	}
	if _, ok := w.written[string(name)]; !ok {
		w.written[string(name)] = string(given)
	}
}

func (w *nameRewriter) copyByte() {
	if w.pos < len(w.in) {
		w.out = append(w.out, w.in[w.pos])
		w.pos++
	}
}

func (w *nameRewriter) space() {
	for w.pos < len(w.in) && (w.in[w.pos] == ' ' || w.in[w.pos] == '\t' || w.in[w.pos] == '\r' || w.in[w.pos] == '\n') {
		w.pos++
	}
}

// text moves past a string and returns it with its quotes.
func (w *nameRewriter) text() []byte {
	start := w.pos
	if w.pos >= len(w.in) || w.in[w.pos] != '"' {
		return nil
	}
	for w.pos++; w.pos < len(w.in); w.pos++ {
		switch w.in[w.pos] {
		case '\\':
			w.pos++
		case '"':
			w.pos++
			return w.in[start:w.pos]
		}
	}
	return nil
}

// camelName leaves a leading underscore, which one older member has.
func camelName(name []byte) []byte {
	if len(name) < 2 || bytes.IndexByte(name[1:], '_') < 0 {
		return name
	}
	out := make([]byte, 0, len(name))
	upper := false
	for i, b := range name {
		switch {
		case b == '_' && i > 0:
			upper = true
		case upper && b >= 'a' && b <= 'z':
			out = append(out, b-'a'+'A')
			upper = false
		default:
			out = append(out, b)
			upper = false
		}
	}
	return out
}

// SnakeName is how violations spell a field.
func SnakeName(field string) string {
	var out strings.Builder
	for _, r := range field {
		if unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
