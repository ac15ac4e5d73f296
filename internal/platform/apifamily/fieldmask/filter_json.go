package fieldmask

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Filter gives the parts of an encoded answer that the mask keeps. The answer has to
// be valid JSON; what is kept keeps its order and the spelling of its numbers.
func (m Mask) Filter(answer []byte) []byte {
	f := filter{in: answer, out: make([]byte, 0, len(answer)/2)}
	f.value(m)
	return f.out
}

type filter struct {
	in  []byte
	pos int
	out []byte
}

// value copies what the mask keeps of the value at pos.
func (f *filter) value(m Mask) {
	f.space()
	switch {
	case f.pos >= len(f.in):
	case m.whole():
		start := f.pos
		f.skip()
		f.out = append(f.out, f.in[start:f.pos]...)
	case f.in[f.pos] == '{':
		f.object(m)
	case f.in[f.pos] == '[':
		f.array(m)
	default:
		// null, or a value where the type is left open
		f.value(nil)
	}
}

func (f *filter) object(m Mask) {
	f.pos++
	f.out = append(f.out, '{')
	empty := true
	for f.more('}') {
		start := f.pos
		f.skipText()
		key := f.in[start:f.pos]
		f.space()
		f.pos++ // the colon
		f.space()
		inner, kept := m.find(text(key))
		if !kept {
			f.skip()
			continue
		}
		if !empty {
			f.out = append(f.out, ',')
		}
		empty = false
		f.out = append(append(f.out, key...), ':')
		f.value(inner)
	}
	f.out = append(f.out, '}')
}

func (f *filter) array(m Mask) {
	f.pos++
	f.out = append(f.out, '[')
	for first := true; f.more(']'); first = false {
		if !first {
			f.out = append(f.out, ',')
		}
		f.value(m)
	}
	f.out = append(f.out, ']')
}

// more goes to the next element and reports whether there is one; the end is passed.
func (f *filter) more(end byte) bool {
	f.space()
	if f.pos < len(f.in) && f.in[f.pos] == ',' {
		f.pos++
		f.space()
	}
	if f.pos >= len(f.in) {
		return false
	}
	if f.in[f.pos] == end {
		f.pos++
		return false
	}
	return true
}

func (f *filter) space() {
	for f.pos < len(f.in) && slices.Contains([]byte(" \t\r\n"), f.in[f.pos]) {
		f.pos++
	}
}

// skip passes a value.
func (f *filter) skip() {
	for depth := 0; f.pos < len(f.in); {
		switch f.in[f.pos] {
		case '"':
			f.skipText()
		case '{', '[':
			depth++
			f.pos++
		case '}', ']':
			depth--
			f.pos++
		case ',', ':', ' ', '\t', '\r', '\n':
			f.pos++
			continue
		default:
			f.skipWord()
		}
		if depth <= 0 {
			return
		}
	}
}

// skipWord passes a number or one of the three words.
func (f *filter) skipWord() {
	end := bytes.IndexAny(f.in[f.pos:], ",:]} \t\r\n")
	if end < 0 {
		f.pos = len(f.in)
		return
	}
	f.pos += end
}

// skipText passes a string.
func (f *filter) skipText() {
	for f.pos++; f.pos < len(f.in); f.pos++ {
		switch f.in[f.pos] {
		case '\\':
			f.pos++
		case '"':
			f.pos++
			return
		}
	}
	f.pos = len(f.in)
}

// text is what an encoded string says.
func text(encoded []byte) string {
	if bytes.IndexByte(encoded, '\\') < 0 && len(encoded) >= 2 {
		return string(encoded[1 : len(encoded)-1])
	}
	var plain string
	if json.Unmarshal(encoded, &plain) != nil {
		return "" // no member has an empty name
	}
	return plain
}
