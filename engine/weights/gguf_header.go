package weights

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Header is what a GGUF file says about its model.
type Header struct {
	Name, Architecture, Licence string
	// Context is what it was trained for, Width that of its embeddings.
	Context, Width int
	// Template is how it wants conversations written; empty for models that were
	// not taught to converse.
	Template string
}

// ErrGGUF means that a file is no GGUF file, or one that breaks off.
var ErrGGUF = errors.New("weights: this is not a GGUF file")

// Bounds of a header. Vocabularies have some hundred thousand entries.
const (
	maxKeys  = 4096
	maxText  = 1 << 20
	maxArray = 1 << 21
)

// ReadHeader reads the header of a GGUF file.
func ReadHeader(path string) (Header, error) {
	file, err := os.Open(path)
	if err != nil {
		return Header{}, fmt.Errorf("weights: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return readHeader(bufio.NewReaderSize(file, 1<<16))
}

func readHeader(in io.Reader) (Header, error) {
	r := &headerReader{in: in}
	magic, version, _, keys := r.uint32(), r.uint32(), r.uint64(), r.uint64()
	if r.err != nil || magic != 0x46554747 || version < 2 || version > 3 || keys > maxKeys {
		return Header{}, ErrGGUF
	}
	texts, numbers := map[string]string{}, map[string]int{}
	for range keys {
		key, kind := r.text(), r.uint32()
		text, number := r.value(kind)
		if r.err != nil {
			return Header{}, ErrGGUF
		}
		texts[key], numbers[key] = text, number
	}
	h := Header{
		Name: texts["general.name"], Architecture: texts["general.architecture"], Licence: texts["general.license"],
		Template: texts["tokenizer.chat_template"],
	}
	h.Context, h.Width = numbers[h.Architecture+".context_length"], numbers[h.Architecture+".embedding_length"]
	return h, nil
}

// headerReader reads values one after the other, until the first failure.
type headerReader struct {
	in  io.Reader
	err error
}

func (r *headerReader) bytes(n int) []byte {
	b := make([]byte, n)
	if r.err == nil {
		_, r.err = io.ReadFull(r.in, b)
	}
	return b
}

func (r *headerReader) uint32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *headerReader) uint64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

func (r *headerReader) text() string {
	n := r.uint64()
	if r.err == nil && n > maxText {
		r.err = ErrGGUF
	}
	if r.err != nil {
		return ""
	}
	return string(r.bytes(int(n)))
}

// The kinds of values that are not plain numbers.
const (
	kindText  = 8
	kindArray = 9
)

// value reads a value: a text, or a whole number; of others what is needed is that
// they are passed over.
func (r *headerReader) value(kind uint32) (text string, number int) {
	switch kind {
	case kindText:
		return r.text(), 0
	case kindArray:
		inner, n := r.uint32(), r.uint64()
		if n > maxArray || inner == kindArray {
			r.err = ErrGGUF
		}
		for i := uint64(0); i < n && r.err == nil; i++ {
			r.value(inner)
		}
		return "", 0
	}
	width, known := map[uint32]int{0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}[kind]
	if !known {
		r.err = ErrGGUF
		return "", 0
	}
	b := append(r.bytes(width), make([]byte, 8-width)...)
	if n := binary.LittleEndian.Uint64(b); n < 1<<31 {
		number = int(n)
	}
	return "", number
}
