package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// stream is one kind of write with a ledger of what was acknowledged.
type stream interface {
	label() string
	// pace is the pause between two writes.
	pace() time.Duration
	// write tries one write; it reports whether it was acknowledged. An error is a
	// promise that was broken.
	write(ctx context.Context) (bool, error)
	// audit compares the ledger with what is stored, after the load.
	audit(ctx context.Context) (verdict, error)
}

// verdict is what an audit counts. Broken is what ended, and is on record, as a failure of
// the infrastructure.
type verdict struct{ acked, lost, repeated, reordered, broken int }

// progress is how a stream gets on while something is done to the cluster.
type progress struct {
	stream
	acked, refused int
	last           time.Time     // of the last acknowledgement
	longest        time.Duration // between two of them, since mark
	broken         error
}

// load is clients that write, each stream its own.
type load struct {
	cancel context.CancelFunc
	work   sync.WaitGroup
	mu     sync.Mutex
	all    []*progress
}

func startLoad(ctx context.Context, streams []stream) *load {
	l := &load{}
	ctx, l.cancel = context.WithCancel(ctx)
	for _, s := range streams {
		p := &progress{stream: s, last: time.Now()}
		l.all = append(l.all, p)
		l.work.Go(func() { l.drive(ctx, p) })
	}
	return l
}

func (l *load) drive(ctx context.Context, p *progress) {
	for ctx.Err() == nil {
		acked, err := p.write(ctx)
		l.mu.Lock()
		switch {
		case err != nil:
			p.broken = errors.Join(p.broken, err)
		case acked:
			now := time.Now()
			p.acked++
			p.longest, p.last = max(p.longest, now.Sub(p.last)), now
		default:
			p.refused++
		}
		l.mu.Unlock()
		_ = rest(ctx, p.pace()) // the loop ends with the context
	}
}

// mark begins a new measurement.
func (l *load) mark() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	acked := map[string]int{}
	for _, p := range l.all {
		p.longest, p.last, p.refused = 0, time.Now(), 0
		acked[p.label()] += p.acked
	}
	return acked
}

// row is one line of the table.
type row struct {
	what           string
	stood          map[string]time.Duration // by stream, the shortest of its clients
	acked, refused int
}

// measure does something and returns how long each stream stood meanwhile, once every
// stream has been acknowledged again.
func (l *load) measure(ctx context.Context, what string, do func() error) (row, error) {
	before := l.mark()
	if err := do(); err != nil {
		return row{}, fmt.Errorf("%s: %w", what, err)
	}
	done := time.Now()
	for end := done.Add(90 * time.Second); ; {
		if slow := l.behind(done); slow == "" {
			return l.row(what, before), l.failed()
		} else if time.Now().After(end) {
			return row{}, fmt.Errorf("%s: 90 s later no write of %s is acknowledged", what, slow)
		}
		if err := rest(ctx, 50*time.Millisecond); err != nil {
			return row{}, err
		}
	}
}

// behind is a client without an acknowledgement since then.
func (l *load) behind(since time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.all {
		if p.last.Before(since) && p.broken == nil {
			return p.label()
		}
	}
	return ""
}

func (l *load) row(what string, before map[string]int) row {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := row{what: what, stood: map[string]time.Duration{}}
	for _, p := range l.all {
		if was, ok := r.stood[p.label()]; !ok || p.longest < was {
			r.stood[p.label()] = p.longest
		}
		r.acked += p.acked
		r.refused += p.refused
	}
	for _, n := range before {
		r.acked -= n
	}
	return r
}

func (l *load) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, p := range l.all {
		if p.broken != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", p.label(), p.broken))
		}
	}
	return err
}

// finish ends the load and audits the streams.
func (l *load) finish(ctx context.Context) (map[string]verdict, error) {
	l.cancel()
	l.work.Wait()
	verdicts, err := map[string]verdict{}, l.failed()
	for _, p := range l.all {
		v, failed := p.audit(ctx)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("the audit of %s: %w", p.label(), failed))
		}
		sum := verdicts[p.label()]
		verdicts[p.label()] = verdict{
			sum.acked + v.acked, sum.lost + v.lost, sum.repeated + v.repeated, sum.reordered + v.reordered,
			sum.broken + v.broken,
		}
	}
	return verdicts, err
}

// client sends requests to one node, or to the next when that one fails.
type client struct {
	http   *http.Client
	urls   []string
	at     int
	pinned bool
	header http.Header
}

func newClient(n *nodes, node int, pinned bool, header ...string) *client {
	c := &client{http: &http.Client{Timeout: 10 * time.Second}, at: node, pinned: pinned, header: http.Header{}}
	for i := range members {
		c.urls = append(c.urls, n.url(i))
	}
	for i := 0; i < len(header); i += 2 {
		c.header.Set(header[i], header[i+1])
	}
	return c
}

// send returns a status of 0 where there was none.
func (c *client) send(ctx context.Context, method, path, body string) (int, []byte) {
	status, content, err := c.try(ctx, method, path, body)
	if err != nil || status >= http.StatusInternalServerError {
		if !c.pinned {
			c.at = (c.at + 1) % len(c.urls)
		}
		if err != nil {
			return 0, nil
		}
	}
	return status, content
}

func (c *client) try(ctx context.Context, method, path, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.urls[c.at]+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, content, err
}

// read asks until there is an answer that is no failure of the server, for audits.
func (c *client) read(ctx context.Context, path string) (int, []byte, error) {
	for range 20 {
		if status, content := c.send(ctx, http.MethodGet, path, ""); status > 0 &&
			status < http.StatusInternalServerError {
			return status, content, nil
		}
		if err := rest(ctx, time.Second); err != nil {
			return 0, nil, err
		}
	}
	return 0, nil, fmt.Errorf("GET %s is not answered", path)
}
