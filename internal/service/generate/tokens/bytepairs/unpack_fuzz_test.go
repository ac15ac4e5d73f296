package bytepairs

import (
	"bytes"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// What Unpack accepts has words of a sane length.
func FuzzUnpack(f *testing.F) {
	var packed strings.Builder
	if err := Pack(&packed, []string{"a", "", "bc"}); err != nil {
		f.Fatal(err)
	}
	fuzztest.Bytes(f, []byte(packed.String()), []byte(packed.String()[:12]), []byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		words, err := Unpack(bytes.NewReader(text))
		for _, word := range words {
			if err != nil || len(word) > maxWord {
				t.Errorf("a word of %d bytes, %v", len(word), err)
			}
		}
	})
}
