package generate

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// tokenizer counts and cuts text by the byte-pair vocabulary cl100k_base. It
// is loaded at its first use (a quarter of a second), not at the start.
type tokenizer struct {
	load func() *codec.Codec
}

func newTokenizer() *tokenizer {
	return &tokenizer{load: sync.OnceValue(codec.NewCl100kBase)}
}

// longestRun bounds one piece without white space. The merge of pairs takes
// time by the square of a piece, and callers choose the pieces.
const longestRun = 128

// count is how many tokens a text has.
func (t *tokenizer) count(s string) (int, error) {
	total := 0
	for _, piece := range pieces(s) {
		n, err := t.load().Count(piece)
		if err != nil {
			return 0, fmt.Errorf("count tokens: %w", err)
		}
		total += n
	}
	return total, nil
}

// split is the tokens of a text and their numbers.
func (t *tokenizer) split(s string) (tokens []string, numbers []int, err error) {
	for _, piece := range pieces(s) {
		ids, words, err := t.load().Encode(piece)
		if err != nil {
			return nil, nil, fmt.Errorf("split into tokens: %w", err)
		}
		tokens = append(tokens, words...)
		for _, id := range ids {
			numbers = append(numbers, int(id))
		}
	}
	return tokens, numbers, nil
}

// pieces cuts runs without white space that are longer than longestRun; text
// that people write comes back whole.
func pieces(s string) []string {
	var out []string
	start, run := 0, 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if strings.ContainsRune(" \n\t\r", r) {
			run = 0
		} else if run += size; run > longestRun {
			out = append(out, s[start:i])
			start, run = i, size
		}
		i += size
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
