package errortext

import (
	"strings"
	"unicode/utf8"
)

// maxLength bounds what is kept of an error.
const maxLength = 2000

// Storable gives valid text without NUL that is not too long.
func Storable(s string) string {
	if len(s) > maxLength {
		s = s[:maxLength]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		if r, size := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && size == 1 {
			s = s[:len(s)-1] // the first byte of a character that was cut
		}
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
