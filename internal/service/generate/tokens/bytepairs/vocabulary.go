package bytepairs

import (
	"errors"
	"fmt"
	"strings"
)

// Vocabulary is the words of byte-pair encoding; the number of a word is its rank.
type Vocabulary struct {
	words []string
	ranks map[string]uint
}

// New makes a vocabulary of words in the order of their numbers.
func New(words []string) *Vocabulary {
	v := &Vocabulary{words: words, ranks: make(map[string]uint, len(words))}
	for i, word := range words {
		v.ranks[word] = uint(i)
	}
	return v
}

// ErrUnknown is a number that stands for no word.
var ErrUnknown = errors.New("bytepairs: no word has this number")

// Decode is the bytes that numbers stand for.
func (v *Vocabulary) Decode(numbers []uint) (string, error) {
	var out strings.Builder
	for _, n := range numbers {
		if n >= uint(len(v.words)) {
			return "", fmt.Errorf("%w: %d", ErrUnknown, n)
		}
		out.WriteString(v.words[n])
	}
	return out.String(), nil
}
