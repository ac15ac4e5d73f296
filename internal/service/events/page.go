package events

import (
	"bytes"
	"compress/gzip"
	"errors"
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/wire"
)

// pageKey names one page of a timeline.
type pageKey struct{ number, size int }

// encodedPage is a page, encoded once and, when it is long enough, compressed
// once. Each form has a strong tag of its own.
type encodedPage struct {
	body, packed    []byte
	etag, packedTag string
	// modified is when the newest event happened, as HTTP writes it.
	modified string
	link     atomic.Pointer[knownLink]
	packing  sync.Once
}

// knownLink is the Link header for one address of a page.
type knownLink struct{ path, query, text string }

// form is what a client gets that does or does not take compressed answers.
func (p *encodedPage) form(takesGzip bool) (body []byte, etag string, packed bool) {
	if !takesGzip {
		return p.body, p.etag, false
	}
	if p.packing.Do(p.pack); p.packed == nil {
		return p.body, p.etag, false
	}
	return p.packed, p.packedTag, true
}

// packFrom is the size from which compressing is worth its while.
const packFrom = 1400

// pack compresses. Writing to memory does not fail.
func (p *encodedPage) pack() {
	if len(p.body) < packFrom {
		return
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(p.body)
	if errors.Join(err, z.Close()) == nil {
		p.packed, p.packedTag = b.Bytes(), wire.ETag(b.Bytes())
	}
}

// page cuts a page out, at most once for every page of a timeline.
func (t *timeline) page(k pageKey) *encodedPage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.pages[k]; p != nil {
		return p
	}
	from := min((k.number-1)*k.size, len(t.encoded))
	to := min(from+k.size, len(t.encoded))
	var b bytes.Buffer
	b.WriteByte('[')
	for i, e := range t.encoded[from:to] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(e)
	}
	b.WriteByte(']')
	p := &encodedPage{body: b.Bytes(), etag: wire.ETag(b.Bytes())}
	if from < to {
		p.modified = t.lines[from].at.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	if t.pages == nil {
		t.pages = map[pageKey]*encodedPage{}
	}
	// Pages of odd sizes are not kept: anybody could ask for many.
	if len(t.pages) < 16 {
		t.pages[k] = p
	}
	return p
}
