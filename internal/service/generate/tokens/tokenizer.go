package tokens

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"unicode"

	"github.com/tiktoken-go/tokenizer/codec"

	"stoa.dev/stoa/internal/platform/memo"
)

// Tokenizer counts and splits text by the byte-pair vocabulary cl100k_base. It
// is loaded at its first use (a quarter of a second), not at the start.
type Tokenizer struct {
	load func() *codec.Codec
	// short keeps the tokens of short texts: instructions, greetings and scripted
	// answers come again and again.
	short *memo.Cache[string, split]
}

// split is the tokens of a text and their numbers.
type split struct {
	tokens  []string
	numbers []int
}

// MaxCachedText is the longest text, in bytes, whose tokens are kept; maxCache is
// what all of them may take.
const (
	MaxCachedText = 512
	maxCache      = 4 << 20
)

// NewTokenizer makes a Tokenizer.
func NewTokenizer() *Tokenizer {
	cost := func(text string, s split) int { return len(text) + 24*len(s.tokens) }
	return &Tokenizer{load: sync.OnceValue(codec.NewCl100kBase), short: memo.New(maxCache, cost)}
}

// CacheStats counts the use of the cache.
func (t *Tokenizer) CacheStats() memo.Stats { return t.short.Stats() }

// Texts are cut into pieces between words, which changes no token, so that
// the context is looked at often. The merge of pairs takes time by the square of
// a run, of letters or of blanks, and callers choose the runs: those longer than
// maxRun are cut, too, and that does change a few.
const (
	pieceSize = 4 << 10
	maxRun    = 128
)

// Count is how many tokens a text has. It ends with ctx, and as soon as there
// are more than limit.
func (t *Tokenizer) Count(ctx context.Context, s string, limit int) (int, error) {
	if len(s) <= MaxCachedText {
		tokens, _, err := t.Split(ctx, s)
		return len(tokens), err
	}
	n := 0
	err := t.each(ctx, s, func(piece string, words []string, _ []uint) bool {
		n += len(words) + len(piece)
		for _, word := range words {
			n -= len(word) // what is left is skipped bytes, see split
		}
		return n <= limit
	})
	return n, err
}

// Split is the tokens of a text and their numbers; joined they are the text,
// with U+FFFD for bytes that are no character. The caller does not write to them.
func (t *Tokenizer) Split(ctx context.Context, s string) (tokens []string, numbers []int, err error) {
	if len(s) > MaxCachedText {
		return t.split(ctx, s)
	}
	if known, ok := t.short.Get(s); ok {
		return known.tokens, known.numbers, nil
	}
	if tokens, numbers, err = t.split(ctx, s); err == nil {
		t.short.Put(strings.Clone(s), split{tokens, numbers})
	}
	return tokens, numbers, err
}

// each hands over piece by piece, until more returns false.
func (t *Tokenizer) each(
	ctx context.Context, s string, more func(piece string, words []string, ids []uint) bool,
) error {
	// The vocabulary knows characters only.
	for piece := range pieces(strings.ToValidUTF8(s, "\uFFFD")) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ids, words, err := t.load().Encode(piece)
		if err != nil {
			return fmt.Errorf("split into tokens: %w", err)
		}
		if !more(piece, words, ids) {
			return nil
		}
	}
	return nil
}

func (t *Tokenizer) split(ctx context.Context, s string) (tokens []string, numbers []int, err error) {
	err = t.each(ctx, s, func(piece string, words []string, ids []uint) bool {
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
		return true
	})
	return tokens, numbers, err
}

// pieces cuts a text before a space that follows something else, once there is
// enough, and in the middle of runs that are too long.
func pieces(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, run, blanks := 0, 0, false
		for i, r := range s {
			begins := unicode.IsSpace(r) != blanks
			if begins {
				run, blanks = i, !blanks
			}
			enough := begins && (r == ' ' && i-start >= pieceSize || blanks && i-start >= 16*pieceSize)
			if enough || i-run >= maxRun {
				if !yield(s[start:i]) {
					return
				}
				start, run = i, i
			}
		}
		if start < len(s) {
			yield(s[start:])
		}
	}
}

// Join is the text that tokens of the vocabulary stand for.
func (t *Tokenizer) Join(numbers []uint) (string, error) {
	text, err := t.load().Decode(numbers)
	if err != nil {
		return "", fmt.Errorf("join tokens: %w", err)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}
