package encodedpage

import (
	"bytes"
	"compress/gzip"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/wire"
)

// Key names one page of a list.
type Key struct{ Number, Size int }

// Page is a page, encoded once and, when it is long enough, compressed once. Each
// encoding has a strong tag of its own.
type Page struct {
	// Modified is when the newest item happened, as HTTP writes it; empty for no items.
	Modified string

	body, compressed    []byte
	etag, compressedTag string
	link                atomic.Pointer[cachedLink]
	compressOnce        sync.Once
}

// cachedLink is the Link header for one address of a page.
type cachedLink struct{ path, query, text string }

// Encoding is the body for a client that accepts gzip or does not.
func (p *Page) Encoding(takesGzip bool) (body []byte, etag string, compressed bool) {
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
func (p *Page) compress() {
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

// Link is the Link header of the page at an address, kept for the last one that was
// asked for.
func (p *Page) Link(path, query string, build func() string) string {
	if kept := p.link.Load(); kept != nil && kept.path == path && kept.query == query {
		return kept.text
	}
	text := build()
	p.link.Store(&cachedLink{path: path, query: query, text: text})
	return text
}

// maxPages bounds the pages that are kept of a list: clients choose their size.
const maxPages = 16

// Set keeps the pages of one list, which never changes. The zero value has none yet.
type Set struct {
	mu    sync.Mutex
	pages map[Key]*Page
}

// Page is a page of the encoded items, made at most once while it is kept; at tells when
// an item happened.
func (s *Set) Page(k Key, encoded [][]byte, at func(item int) time.Time) *Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pages[k]; p != nil {
		return p
	}
	from := min((k.Number-1)*k.Size, len(encoded))
	to := min(from+k.Size, len(encoded))
	var b bytes.Buffer
	b.WriteByte('[')
	b.Write(bytes.Join(encoded[from:to], []byte{','}))
	b.WriteByte(']')
	p := &Page{body: b.Bytes(), etag: wire.ETag(b.Bytes())}
	if from < to {
		p.Modified = at(from).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	if s.pages == nil {
		s.pages = map[Key]*Page{}
	}
	if len(s.pages) < maxPages {
		s.pages[k] = p
	}
	return p
}
