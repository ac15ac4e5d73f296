package tokens

import (
	"math"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// The tokens of a text are the text, and counting them counts them.
func FuzzTokenizer(f *testing.F) {
	fuzztest.Strings(f, "hello world", "  a\t\n b", strings.Repeat(" ", 300), strings.Repeat("a", 700),
		"é\u0301\U0001f600\u202e", "\xff\xfe\x00\x1f", "<|endoftext|>", strings.Repeat("word ", 1000))
	tokens := NewTokenizer()
	f.Fuzz(func(t *testing.T, text string) {
		want := strings.ToValidUTF8(text, "\uFFFD")
		list, numbers, err := tokens.Split(t.Context(), text)
		if err != nil || len(list) != len(numbers) || len(list) > len(want) {
			t.Fatalf("%q: %d tokens, %d numbers, %v", text, len(list), len(numbers), err)
		}
		if got := strings.Join(list, ""); got != want {
			t.Errorf("%q: the tokens say %q", text, got)
		}
		if n, err := tokens.Count(t.Context(), text, math.MaxInt); err != nil || n != len(list) {
			t.Errorf("%q: counted %d, %v, want %d", text, n, err, len(list))
		}
	})
}
