package generate

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tiktoken-go/tokenizer/codec"

	"stoa.dev/stoa/internal/platform/budget"
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

// Texts are cut into pieces between words, which changes no token, so that
// nobody counts for long without looking up. The merge of pairs takes time by
// the square of a run, of letters or of blanks, and callers choose the runs:
// those longer than longestRun are cut, too, and that does change a few.
const (
	pieceSize  = 4 << 10
	longestRun = 128
)

// count is how many tokens a text has. It ends with ctx, and as soon as there
// are more than most.
func (t *tokenizer) count(ctx context.Context, s string, most int) (int, error) {
	if len(s) <= maxKnownText {
		tokens, _, err := t.split(ctx, s)
		return len(tokens), err
	}
	n := 0
	err := t.each(ctx, s, func(piece string, words []string, _ []uint) bool {
		n += len(words) + len(piece)
		for _, word := range words {
			n -= len(word) // what is left is skipped bytes, see cut
		}
		return n <= most
	})
	return n, err
}

// split is the tokens of a text and their numbers; joined they are the text,
// with U+FFFD for bytes that are no character.
// The caller does not write to them.
func (t *tokenizer) split(ctx context.Context, s string) (tokens []string, numbers []int, err error) {
	if len(s) > maxKnownText {
		return t.cut(ctx, s)
	}
	t.mu.RLock()
	k, ok := t.known[s]
	t.mu.RUnlock()
	if ok {
		return k.tokens, k.numbers, nil
	}
	tokens, numbers, err = t.cut(ctx, s)
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

// Counting takes a second for a megabyte. Texts up to freeText are counted at
// once, longer ones take a place, and none is longer than mostText.
const (
	freeText      = 64 << 10
	mostText      = 16 << 20
	countPlaces   = 4
	ownerCounts   = 2
	countPatience = 30 * time.Second
)

// counting takes a place to count n bytes of text.
func (s *Service) counting(ctx context.Context, owner budget.Owner, n int) (*budget.Grant, error) {
	if n > mostText {
		return nil, errInvalid("contents", "the text has %d bytes, at most %d can be counted", n, mostText)
	}
	if n <= freeText {
		return s.counters.Take(ctx, owner, 0)
	}
	return s.counters.Take(ctx, owner, 1)
}

// textBytes is how many bytes of text contents have, without media.
func textBytes(contents ...Content) (n int) {
	for _, c := range contents {
		for _, p := range c.Parts {
			switch {
			case p.Text != nil:
				n += len(*p.Text)
			case p.InlineData != nil && modalityOf(p.InlineData.MimeType) == "TEXT":
				n += len(p.InlineData.Data)
			case p.FunctionResponse != nil:
				n += len(p.FunctionResponse.Response)
			case p.FunctionCall != nil:
				n += len(p.FunctionCall.Args)
			}
		}
	}
	return n
}

// each hands over piece by piece, until it is told that this is enough.
func (t *tokenizer) each(ctx context.Context, s string, more func(piece string, words []string, ids []uint) bool) error {
	// The vocabulary knows characters only, and has its own for what is none.
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

func (t *tokenizer) cut(ctx context.Context, s string) (tokens []string, numbers []int, err error) {
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
			if enough || i-run >= longestRun {
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
