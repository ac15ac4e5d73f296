package document

import (
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzText: hand-made JSON text is what the encoder would write.
func FuzzText(f *testing.F) {
	fuzztest.Strings(f,
		"plain",
		"with \"quotes\" and \x00",
	)
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		want, err := Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendText(nil, s); string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
