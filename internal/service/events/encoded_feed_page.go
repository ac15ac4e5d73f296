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
// once. Each encoding has a strong tag of its own.
type encodedPage struct {
	body, compressed    []byte
	etag, compressedTag string
	// modified is when the newest event happened, as HTTP writes it.
	modified     string
	link         atomic.Pointer[cachedLink]
	compressOnce sync.Once
}

// cachedLink is the Link header for one address of a page.
type cachedLink struct{ path, query, text string }

// encoding is the body for a client that accepts gzip or does not.
func (p *encodedPage) encoding(takesGzip bool) (body []byte, etag string, compressed bool) {
	if !takesGzip {
		return p.body, p.etag, false
	}
	if p.compressOnce.Do(p.compress); p.compressed == nil {
		return p.body, p.etag, false
	}
	return p.compressed, p.compressedTag, true
}

// minCompressed is the size in bytes from which pages are compressed.
const minCompressed = 1400

// compress cannot fail: it writes to memory.
func (p *encodedPage) compress() {
	if len(p.body) < minCompressed {
		return
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(p.body)
	if errors.Join(err, z.Close()) == nil {
		p.compressed, p.compressedTag = b.Bytes(), wire.ETag(b.Bytes())
	}
}

// page is a part of the timeline, made at most once.
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
		p.modified = t.refs[from].at.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	if t.pages == nil {
		t.pages = map[pageKey]*encodedPage{}
	}
	// Clients choose the size of a page, so the number of kept ones is bounded.
	if len(t.pages) < 16 {
		t.pages[k] = p
	}
	return p
}
