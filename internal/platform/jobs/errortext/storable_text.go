package errortext

import (
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// maxLength bounds what is kept of an error.
const maxLength = 2000

// Storable gives valid text without NUL that is not too long.
func Storable(s string) string {
	s = wire.Clip(s, maxLength-len("…"))
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
