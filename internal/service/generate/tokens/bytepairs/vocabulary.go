package bytepairs

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// Pack writes words in the form that a release carries: each after its length,
// all of them compressed.
func Pack(w io.Writer, words []string) error {
	out, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, word := range words {
		if _, err := out.Write(append(binary.AppendUvarint(nil, uint64(len(word))), word...)); err != nil {
			return err
		}
	}
	return out.Close()
}

// maxWord bounds what a damaged file can make Unpack allocate.
const maxWord = 1 << 10

// Unpack reads what Pack wrote.
func Unpack(r io.Reader) ([]string, error) {
	in, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("bytepairs: %w", err)
	}
	lines, words := bufio.NewReader(in), []string{}
	for {
		n, err := binary.ReadUvarint(lines)
		if errors.Is(err, io.EOF) {
			return words, nil
		}
		if err == nil && n > maxWord {
			err = fmt.Errorf("word %d has %d bytes, at most %d are known", len(words), n, maxWord)
		}
		word := make([]byte, min(n, maxWord))
		if err == nil {
			_, err = io.ReadFull(lines, word)
		}
		if err != nil {
			return nil, fmt.Errorf("bytepairs: %w", err)
		}
		words = append(words, string(word))
	}
}
