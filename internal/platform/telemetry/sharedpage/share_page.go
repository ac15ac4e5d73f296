package sharedpage

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// pauses is how many times as long as a page took none is made after it.
	pauses = 7
	// maxPause bounds that where a machine is busy with other things.
	maxPause = time.Second
)

// Handler answers with what next answers to a request without parameters, compressed with gzip or
// not at all.
func Handler(meter clock.Clock, next http.Handler) http.Handler {
	return &pages{meter: meter, next: next, coming: map[bool]*page{}}
}

type pages struct {
	meter clock.Clock
	next  http.Handler

	making sync.Mutex // held by who makes a page, and waits to
	rested time.Time  // when the next one may be made
	size   int        // of the last one

	mu     sync.Mutex
	coming map[bool]*page // whose making has not begun, compressed or not
}

// ServeHTTP implements http.Handler.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	compressed := takesGzip(r.Header)
	p.mu.Lock()
	own, found := p.coming[compressed]
	if !found {
		own = &page{made: make(chan struct{}), header: http.Header{}}
		p.coming[compressed] = own
	}
	p.mu.Unlock()
	if !found {
		p.make(own, compressed) // also when this client leaves: others wait for it
	}
	select {
	case <-own.made:
		own.send(w)
	case <-r.Context().Done():
	}
}

// make makes a page when its turn has come.
func (p *pages) make(own *page, compressed bool) {
	defer close(own.made)
	p.making.Lock()
	defer p.making.Unlock()
	if wait := p.rested.Sub(p.meter.Now()); wait > 0 {
		_ = clock.Sleep(context.Background(), p.meter, wait) // a second at most
	}
	p.mu.Lock()
	delete(p.coming, compressed) // what is counted from now on may be missing in it
	p.mu.Unlock()
	r := &http.Request{Method: http.MethodGet, Header: http.Header{}}
	if compressed {
		r.Header.Set("Accept-Encoding", "gzip")
	}
	own.body.Grow(p.size)
	began := p.meter.Now()
	p.next.ServeHTTP(own, r)
	own.WriteHeader(http.StatusOK) // unless it did
	now := p.meter.Now()
	own.whole, p.size, p.rested = true, own.body.Len(), now.Add(min(pauses*now.Sub(began), maxPause))
}

// page is an answer, and what the handler that makes it writes to.
type page struct {
	made   chan struct{}
	whole  bool
	status int
	header http.Header
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (p *page) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *page) WriteHeader(status int) {
	if p.status == 0 {
		p.status = status
	}
}

// Write implements http.ResponseWriter.
func (p *page) Write(b []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	return p.body.Write(b)
}

// send answers one of those who asked.
func (p *page) send(w http.ResponseWriter) {
	if !p.whole {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	for name, values := range p.header {
		w.Header()[name] = slices.Clone(values)
	}
	w.Header().Set("Vary", "Accept-Encoding")
	w.Header().Set("Content-Length", strconv.Itoa(p.body.Len()))
	w.WriteHeader(p.status)
	_, _ = w.Write(p.body.Bytes()) // a client that has gone is not told
}

// takesGzip reports whether a client takes what is compressed.
func takesGzip(h http.Header) bool {
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, q, weighed := strings.Cut(strings.ReplaceAll(part, " ", ""), ";q=")
		if strings.EqualFold(name, "gzip") {
			weight, err := strconv.ParseFloat(q, 64)
			return !weighed || err == nil && weight > 0
		}
	}
	return false
}
