package lab

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// Replay sends a request of the journal again, with its credential, at the world's
// own address. The answer is in the record that is returned.
func (w *World) Replay(ctx context.Context, number uint64) (*journal.Record, error) {
	old := w.journal.Get(number)
	if old == nil {
		return nil, errNotFound("list them; the oldest go when there are too many", "there is no request %d", number)
	}
	sent, whole := old.Sent()
	if !whole {
		return nil, errConflict("send it yourself", "request %d was not kept whole: it cannot be sent again", number)
	}
	slot := journal.NewSlot(ctx)
	r, err := http.NewRequestWithContext(slot, sent.Method, w.URL(), strings.NewReader(sent.Body))
	if err != nil {
		return nil, err
	}
	path, err := url.PathUnescape(sent.Target)
	if err != nil {
		return nil, err
	}
	r.URL = &url.URL{Path: path, RawPath: sent.Target, RawQuery: sent.Query}
	r.Host, r.Header, r.RequestURI = sent.Host, sent.Header, r.URL.RequestURI()
	clientaddr.SetLoopback(r)
	if sent.Body == "" {
		r.Body = http.NoBody
	}
	w.serveAgain(r)
	again := slot.Record()
	if again == nil {
		return nil, errConflict("try again", "the request was not answered: the world is being changed, or is gone")
	}
	return again, nil
}

// serveAgain answers a request that no connection waits for. A handler that cuts
// its connection has been recorded by then.
func (w *World) serveAgain(r *http.Request) {
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(v)
		}
	}()
	w.ServeHTTP(&discard{header: http.Header{}}, r)
}

// discard is a connection that nothing is read from.
type discard struct{ header http.Header }

// Header is the answer's.
func (d *discard) Header() http.Header { return d.header }

// Write takes everything.
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader needs no status: the journal has it.
func (d *discard) WriteHeader(int) {}

// FlushError has nothing to send.
func (d *discard) FlushError() error { return nil }

// SetWriteDeadline has nothing to wait for.
func (d *discard) SetWriteDeadline(time.Time) error { return nil }

// SetReadDeadline has nothing to wait for.
func (d *discard) SetReadDeadline(time.Time) error { return nil }
