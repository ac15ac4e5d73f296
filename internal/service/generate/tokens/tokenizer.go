package tokens

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"unicode"

	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/service/generate/tokens/bytepairs"
)

// Tokenizer counts and splits text by the byte-pair vocabulary cl100k_base. It
// is loaded at its first use (some fifty milliseconds), not at the start.
type Tokenizer struct {
	load func() (*bytepairs.Vocabulary, error)
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
	return &Tokenizer{load: sync.OnceValues(loadVocabulary), short: memo.New(maxCache, cost)}
}

func loadVocabulary() (*bytepairs.Vocabulary, error) {
	words, err := bytepairs.Words()
	if err != nil {
		return nil, fmt.Errorf("load the vocabulary: %w", err)
	}
	return bytepairs.New(words), nil
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
	err := t.each(ctx, s, func(words []string, _ []uint) bool {
		n += len(words)
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
func (t *Tokenizer) each(ctx context.Context, s string, more func(words []string, numbers []uint) bool) error {
	vocabulary, err := t.load()
	if err != nil {
		return err
	}
	// The vocabulary knows characters only.
	for piece := range pieces(strings.ToValidUTF8(s, "\uFFFD")) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		numbers, words := vocabulary.Encode(piece)
		if !more(words, numbers) {
			return nil
		}
	}
	return nil
}

func (t *Tokenizer) split(ctx context.Context, s string) (tokens []string, numbers []int, err error) {
	err = t.each(ctx, s, func(words []string, ids []uint) bool {
		tokens = append(tokens, words...)
		for _, id := range ids {
			numbers = append(numbers, int(id))
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
	vocabulary, err := t.load()
	if err != nil {
		return "", err
	}
	text, err := vocabulary.Decode(numbers)
	if err != nil {
		return "", fmt.Errorf("join tokens: %w", err)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}
