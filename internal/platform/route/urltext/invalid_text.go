package urltext

import (
	"net/url"
	"unicode/utf8"
)

// InvalidPath reports whether a path is one that no operation has: with empty or dot segments,
// which http.ServeMux would redirect, with NUL or with text that is not UTF-8,
// which no database would find. A slash at the end is valid.
func InvalidPath(u *url.URL) bool {
	p := u.RawPath
	if p == "" {
		p = u.Path
	}
	if p == "" || p[0] != '/' {
		return true
	}
	plain := true
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '/':
			if i+1 < len(p) && emptyOrDots(p[i+1:]) {
				return true
			}
		case c == 0 || c == '%' || c >= utf8.RuneSelf:
			plain = false
		}
	}
	return !plain && !validText(u.Path)
}

// emptyOrDots looks at the segment that s starts with: is it empty, "." or ".."?
// An encoded dot means the same as a plain one (RFC 3986, section 6.2.2.2).
func emptyOrDots(s string) bool {
	dots := 0
	for i := 0; i < len(s) && s[i] != '/'; dots++ {
		switch {
		case s[i] == '.':
			i++
		case len(s) >= i+3 && s[i] == '%' && s[i+1] == '2' && s[i+2]|0x20 == 'e':
			i += 3
		default:
			return false
		}
	}
	return dots <= 2
}

// InvalidQuery reports whether the text of a query is not UTF-8 or has NUL. It
// decodes on the fly: the common query costs one look at every byte.
func InvalidQuery(raw string) bool {
	var pending [utf8.UTFMax]byte
	n := 0
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '%' && i+2 < len(raw) {
			if hi, lo := unhex(raw[i+1]), unhex(raw[i+2]); hi < 16 && lo < 16 {
				c = hi<<4 | lo
				i += 2
			}
		}
		if c == 0 {
			return true
		}
		if n == 0 && c < utf8.RuneSelf {
			continue
		}
		pending[n] = c
		n++
		if utf8.FullRune(pending[:n]) {
			if r, size := utf8.DecodeRune(pending[:n]); r == utf8.RuneError && size <= 1 {
				return true
			}
			n = 0
		}
	}
	return n > 0
}

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

func validText(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == 0 {
			return false
		}
	}
	return utf8.ValidString(s)
}
