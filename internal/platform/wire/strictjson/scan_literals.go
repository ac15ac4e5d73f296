package strictjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// text scans a string and returns its content: a part of the source, or a
// decoded copy if it has escapes and a caller needs to compare it.
func (s *scanner) text() ([]byte, *Fault) {
	s.pos++
	start := s.pos
	escaped := false
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			raw := s.src[start:s.pos]
			s.pos++
			if escaped {
				raw = unescape(raw)
			}
			return raw, nil
		case c == '\\':
			escaped = true
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, s.fault(s.pos, "a control character in a string must be escaped")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.src[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return nil, s.fault(s.pos, "the text is not valid UTF-8")
			}
			s.pos += size
		}
	}
	return nil, s.fault(s.pos, "a string is not closed")
}

// escape scans one escape sequence, or a pair of them for a surrogate pair.
func (s *scanner) escape() *Fault {
	at := s.pos
	if at+1 >= len(s.src) {
		s.pos = len(s.src)
		return s.fault(s.pos, "a string is not closed")
	}
	switch s.src[at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return nil
	case 'u':
	default:
		return s.fault(at, "a backslash must be followed by one of \"\\/bfnrtu")
	}
	r, ok := unit(s.src[at:])
	switch {
	case !ok:
		return s.fault(at, "\\u must be followed by four hexadecimal digits")
	case r == 0 && !s.allowNUL:
		return s.fault(at, "a string must not contain the NUL character")
	case !utf16.IsSurrogate(r):
		s.pos += 6
		return nil
	}
	low, ok := unit(s.src[at+6:])
	if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
		return s.fault(at, "half of a surrogate pair stands alone")
	}
	s.pos += 12
	return nil
}

// unit reads the \uXXXX that b starts with.
func unit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape decodes a string that escape has found to be in order.
func unescape(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(out, raw...)
		}
		out = append(out, raw[:i]...)
		raw = raw[i:]
		if raw[1] != 'u' {
			out = append(out, plainEscape(raw[1]))
			raw = raw[2:]
			continue
		}
		r, _ := unit(raw)
		raw = raw[6:]
		if utf16.IsSurrogate(r) {
			low, _ := unit(raw)
			r = utf16.DecodeRune(r, low)
			raw = raw[6:]
		}
		out = utf8.AppendRune(out, r)
	}
}

func plainEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // quote, backslash, slash
}

// number scans -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (s *scanner) number() *Fault {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
		if c := s.peek(); c >= '0' && c <= '9' {
			return s.fault(start, "a number must not start with a zero")
		}
	} else if !s.digits() {
		return s.fault(s.pos, "expected a digit but found "+s.seen())
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.fault(s.pos, "expected a digit after the decimal point but found "+s.seen())
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.fault(s.pos, "expected a digit in the exponent but found "+s.seen())
		}
	}
	return nil
}

// digits scans one or more digits.
func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

// word scans true, false or null.
func (s *scanner) word(w string) *Fault {
	if len(s.src)-s.pos < len(w) || string(s.src[s.pos:s.pos+len(w)]) != w {
		return s.fault(s.pos, "expected a JSON value; only true, false and null are written without quotes")
	}
	s.pos += len(w)
	return nil
}
