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

	// known keeps the tokens of short texts: instructions, greetings and
	// scripted answers come again and again.
	mu    sync.RWMutex
	known map[string]known
}

type known struct {
	tokens  []string
	numbers []int
}

// The memory is bounded: texts up to maxKnownText, maxKnown of them, and then
// it starts anew.
const (
	maxKnown     = 2048
	maxKnownText = 512
)

func newTokenizer() *tokenizer {
	return &tokenizer{load: sync.OnceValue(codec.NewCl100kBase), known: map[string]known{}}
}

// longestRun bounds one piece without white space. The merge of pairs takes
// time by the square of a piece, and callers choose the pieces.
const longestRun = 128

// count is how many tokens a text has.
func (t *tokenizer) count(s string) (int, error) {
	tokens, _, err := t.split(s)
	return len(tokens), err
}

// split is the tokens of a text and their numbers; joined they are the text.
// The caller does not write to them.
func (t *tokenizer) split(s string) (tokens []string, numbers []int, err error) {
	if len(s) > maxKnownText {
		return t.cut(s)
	}
	t.mu.RLock()
	k, ok := t.known[s]
	t.mu.RUnlock()
	if ok {
		return k.tokens, k.numbers, nil
	}
	tokens, numbers, err = t.cut(s)
	if err != nil {
		return nil, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= maxKnown {
		clear(t.known)
	}
	t.known[strings.Clone(s)] = known{tokens, numbers}
	return tokens, numbers, nil
}

func (t *tokenizer) cut(s string) (tokens []string, numbers []int, err error) {
	for _, piece := range pieces(s) {
		ids, words, err := t.load().Encode(piece)
		if err != nil {
			return nil, nil, fmt.Errorf("split into tokens: %w", err)
		}
		for i, word := range words {
			// The vocabulary's pattern skips a few control characters; they
			// count one by one, so that nothing is lost.
			gap := strings.Index(piece, word)
			for j := range max(0, gap) {
				tokens, numbers = append(tokens, piece[j:j+1]), append(numbers, 0)
			}
			tokens, numbers = append(tokens, word), append(numbers, int(ids[i]))
			piece = piece[max(0, gap)+len(word):]
		}
		for j := range len(piece) {
			tokens, numbers = append(tokens, piece[j:j+1]), append(numbers, 0)
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
