package requestpages

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	worldaddress "stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// SendAgain sends a request again with what the form changed, and goes to its record.
// What the page showed masked and the reader left alone is sent as it was.
func (p *Pages) SendAgain(r *route.Request, values url.Values, form string) (Page, error) {
	record, err := p.record(r)
	if err != nil {
		return Page{}, err
	}
	sent, whole := record.Sent()
	if !whole || p.o.Journal.Mode() != journal.Full {
		return p.one(r, record, form, "The request was not kept whole, so it cannot be sent again.")
	}
	if target := values.Get("target"); target != record.Path() {
		sent.Target = (&url.URL{Path: target}).EscapedPath()
	}
	if query := values.Get("query"); query != record.Query() {
		sent.Query = query
	}
	unix := strings.NewReplacer("\r\n", "\n") // browsers send the other line breaks
	if body := unix.Replace(values.Get("body")); body != unix.Replace(record.RequestBody()) {
		sent.Body = body
	}
	sent.Method = strings.ToUpper(strings.TrimSpace(values.Get("method")))
	changed := http.Header(sent.Header).Clone()
	for line := range strings.Lines(values.Get("header")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && strings.TrimSpace(value) == "" {
			changed.Del(name)
		} else if ok {
			changed.Set(name, strings.TrimSpace(value))
		}
	}
	changed.Del("Content-Length")
	sent.Header = changed
	made, problem := p.send(r.Context(), sent)
	if problem != "" {
		return p.one(r, record, form, problem)
	}
	return Page{Redirect: Base + "/" + made.ID()}, nil
}

// send hands a request to the world. It does not share the reader's context but for its
// address: it is a request of its own.
func (p *Pages) send(ctx context.Context, sent journal.Sent) (made *journal.Record, problem string) {
	slot := journal.NewSlot(worldaddress.With(context.WithoutCancel(ctx), worldaddress.From(ctx)))
	r, err := http.NewRequestWithContext(slot, sent.Method, "http://stoa/", strings.NewReader(sent.Body))
	if err != nil {
		return nil, "The method is not one that HTTP knows."
	}
	path, err := url.PathUnescape(sent.Target)
	if err != nil || !strings.HasPrefix(path, "/") {
		return nil, "The path has to begin with a slash."
	}
	if path == "/console" || strings.HasPrefix(path, "/console/") {
		return nil, "Requests for pages of the console are not sent again."
	}
	r.URL = &url.URL{Path: path, RawPath: sent.Target, RawQuery: sent.Query}
	r.Host, r.Header, r.RequestURI = sent.Host, sent.Header, r.URL.RequestURI()
	clientaddr.SetLoopback(r)
	if sent.Body == "" {
		r.Body = http.NoBody
	}
	p.serve(r)
	if made = slot.Record(); made == nil {
		return nil, "The request was not answered."
	}
	return made, ""
}

// serve answers a request that no connection waits for. A handler that cuts its
// connection has been recorded by then.
func (p *Pages) serve(r *http.Request) {
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(v)
		}
	}()
	p.o.Handler().ServeHTTP(&discard{header: http.Header{}}, r)
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
