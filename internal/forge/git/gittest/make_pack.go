package gittest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strconv"
)

// The kinds of entries in a pack.
const (
	Commit   = 1
	Tree     = 2
	Blob     = 3
	Tag      = 4
	Offset   = 6
	RefDelta = 7
)

// Pack writes a pack of entries.
func Pack(entries ...[]byte) []byte {
	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(entries)))
	for _, e := range entries {
		out = append(out, e...)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// Entry is one object of a pack; base names that of a delta.
func Entry(kind byte, base, content []byte) []byte {
	return entryFrom(kind, base, bytes.NewReader(content), len(content))
}

// Zeros is an object of zero bytes.
func Zeros(kind byte, size int) []byte { return entryFrom(kind, nil, zeroReader{}, size) }

// entryFrom is Entry for what need not be in memory.
func entryFrom(kind byte, base []byte, content io.Reader, size int) []byte {
	left := size >> 4
	first := kind<<4 | byte(size&15)
	var out []byte
	for ; left > 0; left >>= 7 {
		out = append(out, first|0x80)
		first = byte(left & 0x7f)
	}
	out = append(append(out, first), base...)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	// A buffer takes everything.
	_, _ = io.CopyN(z, content, int64(size))
	_ = z.Close()
	return append(out, packed.Bytes()...)
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Number is a size as a delta begins with.
func Number(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// block is how much one instruction of a bomb's delta copies.
const block = 1 << 16

// bombBase is the object that a bomb copies; it is a good commit.
func bombBase() []byte {
	const head = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n" +
		"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n"
	return append([]byte(head), bytes.Repeat([]byte{'x'}, block)...)
}

// LargeCommit is a pack with a commit of size bytes and the commit's name.
func LargeCommit(size int) (pack []byte, name string) {
	content := bytes.Repeat(bombBase()[:block], size/block)
	sum := sha1.Sum(append([]byte("commit "+strconv.Itoa(len(content))+"\x00"), content...))
	return Pack(append(bombEntries(Commit, size), Entry(Tree, nil, nil))...), hex.EncodeToString(sum[:])
}

// Bomb is a pack of two objects, the second of which copies the first so often
// that it stands for size bytes.
func Bomb(kind byte, size int) []byte { return Pack(bombEntries(kind, size)...) }

func bombEntries(kind byte, size int) [][]byte {
	base := bombBase()
	delta := append(Number(uint64(len(base))), Number(uint64(size/block*block))...)
	for range size / block {
		delta = append(delta, 0x80) // copy 64 KiB from the beginning
	}
	head := map[byte]string{Commit: "commit ", Blob: "blob "}[kind] + strconv.Itoa(len(base)) + "\x00"
	name := sha1.Sum(append([]byte(head), base...))
	return [][]byte{Entry(kind, nil, base), Entry(RefDelta, name[:], delta)}
}
