package adversary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Outcome is how one attack was answered.
type Outcome struct {
	Attack Attack
	Status int
	// Refusal is the body of an answer that is no success, or its beginning, and its media type.
	Refusal []byte
	Media   string
	// Bytes is how long the answer was, Whole whether its length was said before: the server held all of it.
	Bytes int64
	Whole bool
	// Err is why there was no answer. A server that cuts a connection while a
	// body is being sent is within its rights; one that is gone is not.
	Err  error
	Took time.Duration
}

// Drive sends the attacks from so many connections at once and hands every
// outcome to seen, one at a time.
func (t Target) Drive(ctx context.Context, attacks []Attack, connections int, seen func(Outcome)) {
	work := make(chan Attack)
	var group sync.WaitGroup
	var mu sync.Mutex
	for range connections {
		group.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 2 * time.Minute,
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			defer client.CloseIdleConnections()
			for a := range work {
				o := t.send(ctx, client, a)
				mu.Lock()
				seen(o)
				mu.Unlock()
			}
		})
	}
	for _, a := range attacks {
		select {
		case work <- a:
		case <-ctx.Done():
		}
	}
	close(work)
	group.Wait()
}

// Store sends one row of a fill.
func (t Target) Store(ctx context.Context, f Fill, n int) Outcome {
	made := func() []byte { return []byte(f.Body(n)) }
	return t.send(ctx, http.DefaultClient, Attack{
		Operation: Operation{Service: f.Service, Method: f.Method, Pattern: f.Path}, Kind: "fill",
		Make: made, Media: "application/json",
	})
}

func (t Target) send(ctx context.Context, client *http.Client, a Attack) Outcome {
	var body io.Reader
	if a.Make != nil {
		body = bytes.NewReader(a.Make())
	}
	address := t.URL + t.path(a.Operation)
	if a.Query != "" {
		address += "?" + a.Query
	}
	r, err := http.NewRequestWithContext(ctx, a.Operation.Method, address, body)
	if err != nil {
		return Outcome{Attack: a, Err: err}
	}
	r.Header = t.headers(a.Operation.Service)
	if a.Media != "" {
		r.Header.Set("Content-Type", a.Media)
	}
	if a.Coding != "" {
		r.Header.Set("Content-Encoding", a.Coding)
	}
	began := time.Now()
	res, err := client.Do(r)
	o := Outcome{Attack: a, Err: err, Took: time.Since(began)}
	if err != nil {
		return o
	}
	defer func() { _ = res.Body.Close() }() // read to its end or not at all
	o.Status, o.Whole = res.StatusCode, res.ContentLength >= 0
	if o.Status >= http.StatusBadRequest {
		o.Media = res.Header.Get("Content-Type")
		o.Refusal, err = io.ReadAll(io.LimitReader(res.Body, 64<<10))
	}
	if err == nil {
		o.Bytes, err = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<20))
	}
	o.Took = time.Since(began)
	// An answer may be cut because the request was; then the status stands.
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		o.Err = err
	}
	return o
}

// Stall opens connections that announce a body and send a byte of it now and
// then, and returns when all are open. They end with the context.
func (t Target) Stall(ctx context.Context, o Operation, connections int) error {
	address := strings.TrimPrefix(t.URL, "http://")
	for range connections {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nContent-Type: %s\r\n",
			o.Method, t.path(o), address, max(o.size()/2, 2), o.media())
		for name, values := range t.headers(o.Service) {
			head += name + ": " + values[0] + "\r\n"
		}
		if _, err := io.WriteString(c, head+"\r\n["); err != nil {
			return errors.Join(err, c.Close())
		}
		go func() {
			defer func() { _ = c.Close() }() // the test is over, or the server had enough
			tick := time.NewTicker(500 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					if _, err := io.WriteString(c, " "); err != nil {
						return
					}
				}
			}
		}()
	}
	return nil
}
