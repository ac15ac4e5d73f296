package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// parts is an archive of which only what is read is fetched.
type parts struct {
	ctx  context.Context
	get  Fetcher
	url  string
	size int64
	// whole means that the registry sent all of it.
	whole bool
	held  []part
	// failed is why a part could not be fetched; the archive's reader hides it.
	failed error
}

type part struct {
	from int64
	body []byte
}

const (
	// tailSize is what is read first of an archive: its directory and, as wheels
	// are written, its metadata. partSize is the least that is read after it.
	tailSize = 64 << 10
	partSize = 256 << 10
	// maxParts and maxPart bound what is read.
	maxParts = 16
	maxPart  = 8 << 20
)

// open reads the end of the archive.
func (p *parts) open() error {
	return p.fetch("bytes=-"+decimal(tailSize), maxArchive)
}

func (p *parts) fetch(wanted string, most int64) error {
	if len(p.held) >= maxParts {
		return registry.ErrTooLarge
	}
	res, err := p.get.Get(p.ctx, registry.Request{URL: p.url, Range: wanted, MaxBody: most})
	if err != nil {
		return err
	}
	if res.Part == "" {
		p.whole, p.size, p.held = true, int64(len(res.Body)), []part{{0, res.Body}}
		return nil
	}
	from, size, ok := contentRange(res.Part)
	if !ok || from+int64(len(res.Body)) > size {
		return &GarbageError{System: catalog.PyPI, What: "part of a file", cause: errors.New(res.Part)}
	}
	p.size = size
	p.held = append(p.held, part{from, res.Body})
	return nil
}

// entries is how many files the archive's last record names; the reader stops
// at them.
func (p *parts) entries() int64 {
	tail := p.held[0].body
	at := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if at < 0 || at+12 > len(tail) {
		return 0
	}
	return int64(binary.LittleEndian.Uint16(tail[at+10:]))
}

// ReadAt serves what is held and fetches the rest.
func (p *parts) ReadAt(b []byte, at int64) (int, error) {
	if at >= p.size {
		return 0, io.EOF
	}
	want := b[:min(int64(len(b)), p.size-at)]
	if !p.copyHeld(want, at) {
		n := max(int64(len(want)), partSize)
		if n > maxPart {
			return 0, registry.ErrTooLarge
		}
		last := min(at+n, p.size) - 1
		if err := p.fetch("bytes="+decimal(at)+"-"+decimal(last), maxArchive); err != nil {
			p.failed = err
			return 0, err
		}
		if !p.copyHeld(want, at) {
			return 0, io.ErrUnexpectedEOF
		}
	}
	if len(want) < len(b) {
		return len(want), io.EOF
	}
	return len(want), nil
}

func (p *parts) copyHeld(b []byte, at int64) bool {
	for _, h := range p.held {
		if at >= h.from && at+int64(len(b)) <= h.from+int64(len(h.body)) {
			copy(b, h.body[at-h.from:])
			return true
		}
	}
	return false
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// contentRange reads "bytes 0-99/1000": where a part begins and how long the
// whole is.
func contentRange(text string) (from, size int64, ok bool) {
	text, isBytes := strings.CutPrefix(text, "bytes ")
	span, total, _ := strings.Cut(text, "/")
	begin, _, _ := strings.Cut(span, "-")
	from, errFrom := strconv.ParseInt(begin, 10, 64)
	size, errSize := strconv.ParseInt(total, 10, 64)
	return from, size, isBytes && errFrom == nil && errSize == nil && from >= 0 && size >= from
}
