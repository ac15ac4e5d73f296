package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Form is one of the texts that a Builder writes.
type Form uint8

// The forms. EDN is the extensible data notation that Clojure programs read.
const (
	CompactJSON Form = iota
	IndentedJSON
	EDN
)

// MediaType is the Content-Type of a form.
func (f Form) MediaType() string {
	if f == EDN {
		return "application/edn; charset=utf-8"
	}
	return jsonType
}

// Encode is a value, as encoding/json sees it, in a form. depth is that of the value that it becomes a part of.
func (f Form) Encode(v any, depth int) ([]byte, error) {
	raw, err := EncodeJSON(v)
	if err != nil || f == CompactJSON {
		return raw, err
	}
	b := &Builder{form: f, buf: make([]byte, 0, 2*len(raw)), depth: depth, keyed: true}
	err = b.convert(raw)
	return b.buf, err
}

// List is an array of values that were encoded at depth 1, appended to buf.
func (f Form) List(buf []byte, elements [][]byte) []byte {
	b := NewBuilder(f, buf).Array()
	for _, e := range elements {
		b.value()
		b.buf = append(b.buf, e...)
	}
	return b.End().Bytes()
}

// Fraction is a number that may have a fraction; EDN tells such numbers from integers by their point.
func (f Form) Fraction(v float64) json.Number {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if f == EDN && !strings.Contains(text, ".") {
		text += ".0"
	}
	return json.Number(text)
}

// maxLevels bounds how deep a Builder nests: one bit per level. Requests nest 100 levels at most, and an answer adds a
// few to what it repeats.
const maxLevels = 128

// Builder writes one value in one of the forms, member by member and without
// reflection, so that a contract with several encodings has one path that says
// what an answer holds. The zero value writes compact JSON.
//
// The calls must describe one well-formed value: a Key before each value of an
// object, an End for each Object and Array.
type Builder struct {
	form  Form
	buf   []byte
	depth int
	// filled and object have a bit per level: something was written there, and
	// it is an object.
	filled, object levels
	// keyed says that a key waits for its value.
	keyed bool
}

// NewBuilder starts a value in a form, appending to buf.
func NewBuilder(f Form, buf []byte) *Builder { return &Builder{form: f, buf: buf} }

// Bytes is what was written so far.
func (b *Builder) Bytes() []byte { return b.buf }

// Object begins an object, or a map in EDN.
func (b *Builder) Object() *Builder { return b.open('{', true) }

// Array begins an array, or a vector in EDN.
func (b *Builder) Array() *Builder { return b.open('[', false) }

func (b *Builder) open(c byte, object bool) *Builder {
	b.value()
	b.buf = append(b.buf, c)
	b.depth++
	b.filled.set(b.depth, false)
	b.object.set(b.depth, object)
	return b
}

// End ends the innermost object or array.
func (b *Builder) End() *Builder {
	filled, object := b.filled.has(b.depth), b.object.has(b.depth)
	b.depth--
	if b.form == IndentedJSON && filled {
		b.line()
	}
	if object {
		b.buf = append(b.buf, '}')
	} else {
		b.buf = append(b.buf, ']')
	}
	return b
}

// levels are bits by depth.
type levels [maxLevels / 64]uint64

func (l *levels) has(depth int) bool { return l[depth/64%len(l)]&(1<<(depth%64)) != 0 }

func (l *levels) set(depth int, on bool) {
	word, bit := &l[depth/64%len(l)], uint64(1)<<(depth%64)
	if *word &^= bit; on {
		*word |= bit
	}
}

func (b *Builder) line() {
	b.buf = append(b.buf, '\n')
	for range b.depth {
		b.buf = append(b.buf, ' ', ' ')
	}
}

// value writes what precedes the next value: what separates it from the one before.
func (b *Builder) value() {
	if b.keyed {
		b.keyed = false
		return
	}
	b.separate()
}

func (b *Builder) separate() {
	if b.depth == 0 {
		return
	}
	if b.filled.has(b.depth) {
		b.buf = append(b.buf, ',')
		if b.form == EDN {
			b.buf = append(b.buf, ' ')
		}
	}
	b.filled.set(b.depth, true)
	if b.form == IndentedJSON {
		b.line()
	}
}

// Key names the next value of an object. In EDN it is a keyword where the name
// can be one, otherwise a string.
func (b *Builder) Key(name string) *Builder {
	b.separate()
	b.keyed = true
	switch {
	case b.form == EDN && isKeyword(name):
		b.buf = append(append(append(b.buf, ':'), name...), ' ')
	case b.form == EDN:
		b.buf = append(AppendText(b.buf, name), ' ')
	case b.form == IndentedJSON:
		b.buf = append(AppendText(b.buf, name), " : "...)
	default:
		b.buf = append(AppendText(b.buf, name), ':')
	}
	return b
}

// isKeyword reports whether EDN can write the name as a keyword.
func isKeyword(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c == '_', c == '*', c == '!', c == '?', c == '$', c == '%', c == '&', c == '=':
		case c >= '0' && c <= '9', c == '-', c == '.', c == '+':
			if i == 0 {
				return false
			}
		default:
			return false
		}
	}
	return name != ""
}

// Text writes a string.
func (b *Builder) Text(s string) *Builder {
	b.value()
	b.buf = AppendText(b.buf, s)
	return b
}

// Int writes an integer.
func (b *Builder) Int(n int64) *Builder {
	b.value()
	b.buf = strconv.AppendInt(b.buf, n, 10)
	return b
}

// Bool writes true or false.
func (b *Builder) Bool(v bool) *Builder {
	b.value()
	b.buf = strconv.AppendBool(b.buf, v)
	return b
}

// Null writes null, which EDN calls nil.
func (b *Builder) Null() *Builder {
	b.value()
	if b.form == EDN {
		b.buf = append(b.buf, "nil"...)
	} else {
		b.buf = append(b.buf, "null"...)
	}
	return b
}

var errTooDeep = errors.New("wire: nested too deep")

// convert writes JSON token by token in the builder's form.
func (b *Builder) convert(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	base := b.depth
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && b.depth == base && len(raw) > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if b.depth >= maxLevels-1 {
			return errTooDeep
		}
		b.token(token)
	}
}

func (b *Builder) token(token json.Token) {
	switch v := token.(type) {
	case json.Delim:
		switch v {
		case '{':
			b.Object()
		case '[':
			b.Array()
		default:
			b.End()
		}
	case string:
		if !b.keyed && b.depth > 0 && b.object.has(b.depth) {
			b.Key(v)
			return
		}
		b.Text(v)
	case json.Number:
		b.value()
		b.buf = append(b.buf, v...)
	case bool:
		b.Bool(v)
	default:
		b.Null()
	}
}

// Text is a string that encoding/json writes as a Builder does: without the escapes that neither JSON nor EDN needs.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) { return AppendText(nil, string(t)), nil }

const hexDigits = "0123456789abcdef"

// AppendText writes a quoted string. JSON and EDN escape alike.
func AppendText(buf []byte, s string) []byte {
	buf = append(buf, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				buf = append(append(buf, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		buf = appendEscape(append(buf, s[from:i]...), c)
		i++
		from = i
	}
	return append(append(buf, s[from:]...), '"')
}

func appendEscape(buf []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(buf, '\\', c)
	case '\n':
		return append(buf, '\\', 'n')
	case '\r':
		return append(buf, '\\', 'r')
	case '\t':
		return append(buf, '\\', 't')
	}
	return append(buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
