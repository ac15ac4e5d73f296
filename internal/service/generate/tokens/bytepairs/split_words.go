package bytepairs

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The vocabulary is made for words as this pattern finds them, and each word is
// encoded alone:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+

// nextWord is the length in bytes of the word at the beginning of s, which is not
// empty and valid UTF-8.
func nextWord(s string) int {
	if n := contraction(s); n > 0 {
		return n
	}
	first, size := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsLetter(first):
		return run(s, unicode.IsLetter)
	case unicode.IsNumber(first):
		return threeNumbers(s)
	case first != '\r' && first != '\n':
		if n := run(s[size:], unicode.IsLetter); n > 0 {
			return size + n
		}
	}
	if n := signs(s); n > 0 {
		return n
	}
	return blanks(s)
}

// contraction is the length of an English one: 's, 'll.
func contraction(s string) int {
	if s[0] != '\'' {
		return 0
	}
	for _, end := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if len(s) > len(end) && strings.EqualFold(s[1:1+len(end)], end) {
			return 1 + len(end)
		}
	}
	return 0
}

func threeNumbers(s string) int {
	n := 0
	for range 3 {
		r, size := utf8.DecodeRuneInString(s[n:])
		if size == 0 || !unicode.IsNumber(r) {
			break
		}
		n += size
	}
	return n
}

// signs is the length of signs that are neither letter, number nor blank, with
// a space before them and the ends of lines behind.
func signs(s string) int {
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	n := run(s[start:], func(r rune) bool { return !isBlank(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if n == 0 {
		return 0
	}
	n += start
	return n + run(s[n:], isLineEnd)
}

// blanks is the length of a run of blanks: up to the last end of a line in it, or
// without its last blank where that belongs to the word that follows.
func blanks(s string) int {
	n := run(s, isBlank)
	if last := strings.LastIndexAny(s[:n], "\r\n"); last >= 0 {
		return last + 1
	}
	if _, size := utf8.DecodeLastRuneInString(s[:n]); n < len(s) && size < n {
		return n - size
	}
	return n
}

func isLineEnd(r rune) bool { return r == '\r' || r == '\n' }

// isBlank is the pattern's \s.
func isBlank(r rune) bool { return unicode.IsSpace(r) }

// run is the length of the beginning of s whose characters are all of a kind.
func run(s string, kind func(rune) bool) int {
	for i, r := range s {
		if !kind(r) {
			return i
		}
	}
	return len(s)
}
