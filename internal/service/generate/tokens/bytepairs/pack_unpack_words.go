package bytepairs

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

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
