package tokens

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTokens checks known counts and that
// tokens joined are the text.
func TestTokens(t *testing.T) {
	t.Parallel()
	tokens := NewTokenizer()
	for s, want := range map[string]int{
		"": 0, "Hello": 1, "Hello, world!": 4, "The quick brown fox jumps over the lazy dog.": 10,
	} {
		if got, err := tokens.Count(t.Context(), s, math.MaxInt); err != nil || got != want {
			t.Errorf("count of %q: got %d, %v, want %d", s, got, err, want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.String().Draw(r, "text")
		split, numbers, err := tokens.Split(t.Context(), s)
		joined := ""
		for _, word := range split {
			joined += word
		}
		n, countErr := tokens.Count(t.Context(), s, math.MaxInt)
		if err != nil || countErr != nil || joined != s || len(split) != n || len(numbers) != n {
			r.Fatalf("%q: split %q, %d numbers, count %d, %v, %v", s, split, len(numbers), n, err, countErr)
		}
	})
}

// TestPiecesChangeNoToken counts long texts as a whole and in pieces.
func TestPiecesChangeNoToken(t *testing.T) {
	t.Parallel()
	tokens := NewTokenizer()
	for name, sentence := range map[string]string{
		"words": "The quick brown fox, it's said, jumps over 12345 lazy dogs!\n",
		"code":  "  if (a != b) {\n\t\treturn a+1; }\n\n", "numbers": "1 22 333 4444 ",
		"other letters": "Ο γρήγορος σκύλος — «ναι» ", "lines": "one\ntwo\r\nthree!\n",
	} {
		s := strings.Repeat(sentence, 1000)
		vocabulary, err := tokens.load()
		if err != nil {
			t.Fatal(err)
		}
		_, words := vocabulary.Encode(s)
		got, err := tokens.Count(t.Context(), s, math.MaxInt)
		split, _, splitErr := tokens.Split(t.Context(), s)
		if err != nil || splitErr != nil || got != len(words) || len(split) != got {
			t.Errorf("%s: counted %d, split into %d, want %d (%v, %v)", name, got, len(split), len(words), err, splitErr)
		}
	}
}

// TestCountingEnds stops with its caller, and where it is enough.
func TestCountingEnds(t *testing.T) {
	t.Parallel()
	tokens := NewTokenizer()
	long := strings.Repeat("word ", 10_000)
	if n, err := tokens.Count(t.Context(), long, 100); err != nil || n <= 100 || n > 2000 {
		t.Errorf("counted %d of 10000, %v; want a little more than 100", n, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := tokens.Count(ctx, long, math.MaxInt); !errors.Is(err, context.Canceled) {
		t.Errorf("counting for a caller that left: %v, want context.Canceled", err)
	}
	for _, run := range []string{" ", "x", "\n", "漢"} {
		for piece := range pieces(strings.Repeat(run, 1000)) {
			if len(piece) > maxRun+len(run) {
				t.Errorf("a run of %q has a piece of %d bytes, want at most %d", run, len(piece), maxRun)
			}
		}
	}
}
