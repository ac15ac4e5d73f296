package git

import (
	"bufio"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// The kinds of entries in a pack.
const (
	packCommit   = 1
	packTree     = 2
	packBlob     = 3
	packTag      = 4
	packOffset   = 6
	packRefDelta = 7
)

// PackLimits are what the objects of one push may come to when git unpacks
// them. Git keeps commits, trees and tags in memory as a whole, and of a delta
// its base and its result; files are passed through.
type PackLimits struct {
	Objects  int
	Commit   int64 // one commit or tag
	Tree     int64 // one tree
	Delta    int64 // one delta, its base or its result
	Unpacked int64 // all of them, deltas as they are
	Results  int64 // what all deltas stand for
}

// CheckPack reads a pack from its first byte to its last object and refuses
// what is beyond the limits before git sees it. Whether the objects are
// well-formed is git's to say.
func CheckPack(ctx context.Context, from io.Reader, l PackLimits) error {
	in := bufio.NewReaderSize(from, 64<<10)
	var header [12]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return errPack()
	}
	version := binary.BigEndian.Uint32(header[4:])
	if string(header[:4]) != "PACK" || version != 2 && version != 3 {
		return errPack()
	}
	count := binary.BigEndian.Uint32(header[8:])
	if int64(count) > int64(l.Objects) {
		return errTooLarge("a push may have at most %d objects, not %d", l.Objects, count)
	}
	w := &packWalk{
		in: in, limits: l, left: l.Unpacked, results: l.Results,
		head: bufio.NewReaderSize(nil, 32), buffer: make([]byte, 32<<10),
	}
	for i := range count {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.object(ctx); err != nil {
			return err
		}
	}
	return nil
}

// packWalk is the state between two objects.
type packWalk struct {
	in     *bufio.Reader
	zip    io.ReadCloser // reused, as are the next two
	head   *bufio.Reader
	buffer []byte
	limits PackLimits
	left   int64 // bytes that may still be unpacked
	// results is what further deltas may stand for: git makes each of them.
	results int64
}

// object passes one entry: its kind and size, where its base is, its bytes.
func (w *packWalk) object(ctx context.Context) error {
	kind, size, err := entryHeader(w.in)
	if err != nil {
		return err
	}
	limit := w.left
	switch kind {
	case packCommit, packTag:
		limit = w.limits.Commit
	case packTree:
		limit = w.limits.Tree
	case packBlob:
	case packOffset:
		limit = w.limits.Delta
		if _, err := packNumber(w.in); err != nil {
			return err
		}
	case packRefDelta:
		limit = w.limits.Delta
		if _, err := w.in.Discard(20); err != nil {
			return errPack()
		}
	default:
		return errPack()
	}
	if size > limit {
		return errTooLarge("an object of the push has %d bytes, more than it may", size)
	}
	if w.left -= size; w.left < 0 {
		return errTooLarge("the objects of the push have more than %d MiB unpacked", w.limits.Unpacked>>20)
	}
	return w.content(ctx, size, kind == packOffset || kind == packRefDelta)
}

// content unpacks an entry to see where it ends. Of a delta the sizes are
// read that it begins with.
func (w *packWalk) content(ctx context.Context, size int64, delta bool) error {
	var err error
	if w.zip == nil {
		w.zip, err = zlib.NewReader(w.in)
	} else {
		err = w.zip.(zlib.Resetter).Reset(w.in, nil)
	}
	if err != nil {
		return errPack()
	}
	rest := &counted{from: w.zip}
	if delta {
		w.head.Reset(rest)
		var n int64
		for range 2 { // of the base, and of the result
			if n, err = packNumber(w.head); err != nil {
				return err
			}
			if n > w.limits.Delta {
				return errTooLarge("a delta of the push stands for %d bytes, more than it may", n)
			}
		}
		if w.results -= n; w.results < 0 {
			return errTooLarge("the deltas of the push stand for more than %d MiB", w.limits.Results>>20)
		}
	}
	for err == nil {
		if _, err = rest.Read(w.buffer); rest.n > size {
			return errPack() // more than its header says
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !errors.Is(err, io.EOF) || rest.n != size {
		return errPack()
	}
	return nil
}

// counted counts what is read.
type counted struct {
	from io.Reader
	n    int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// entryHeader reads the kind of an entry and the size of its content: three
// bits of kind and four of size, then seven bits of size in each byte.
func entryHeader(in io.ByteReader) (kind byte, size int64, err error) {
	b, err := in.ReadByte()
	if err != nil {
		return 0, 0, errPack()
	}
	kind, size = b>>4&7, int64(b&15)
	for shift := 4; b&0x80 != 0; shift += 7 {
		if b, err = in.ReadByte(); err != nil || shift > 56 {
			return 0, 0, errPack()
		}
		size |= int64(b&0x7f) << shift
	}
	if size < 0 {
		return 0, 0, errPack()
	}
	return kind, size, nil
}

// packNumber reads seven bits in each byte, the lowest first. The offset of a
// base is written in another order; only its length counts here.
func packNumber(in io.ByteReader) (n int64, err error) {
	for shift := 0; ; shift += 7 {
		b, err := in.ReadByte()
		if err != nil || shift > 56 {
			return 0, errPack()
		}
		n |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if n < 0 {
				return 0, errPack()
			}
			return n, nil
		}
	}
}

func errPack() *Error { return errInvalid("the objects of the push are not in git's pack form") }
