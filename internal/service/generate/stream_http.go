package generate

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/apifamily/fieldmask"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
)

// handleStream answers in chunks: server-sent events with alt=sse, elements of
// one JSON array without.
func (s *Service) handleStream(w http.ResponseWriter, r *route.Request) error {
	alt := r.Query().Get("alt")
	if alt != "" && alt != "sse" && alt != "json" {
		return api.ErrInvalidField("alt", "%q is not one of sse and json", alt)
	}
	mask, err := apifamily.ReadMask(r, reflect.TypeFor[api.Response]())
	if err != nil {
		return err
	}
	var request api.Request
	if err := s.decode(r, &request); err != nil {
		return err
	}
	out := &chunks{mask: mask, w: w, events: alt == "sse", control: http.NewResponseController(w), clock: clock.Real()}
	out.begin = func() { s.setHeader(w, dialect.ServiceTier, string(request.ServiceTier)) }

	ctx, cancel := context.WithTimeoutCause(r.Context(), streamTime, route.ErrDeadline)
	defer cancel()
	stop := out.openLater()
	err = s.Stream(ctx, identity.From(r), r.PathValue("model"), &request, out.send)
	stop()
	switch {
	case err == nil:
		return out.end()
	case !out.opened || r.Context().Err() != nil:
		return err
	}

	// The status is sent; what is left to say goes into the stream, and what the
	// caller must not know into the log.
	f := s.faultOf(r, err)
	if f.Code >= http.StatusInternalServerError {
		s.world.Telemetry.Log.LogAttrs(r.Context(), slog.LevelError, "stream failed",
			slog.String("service", Name), slog.String("request", r.ID), slog.String("error", err.Error()))
	}
	return out.raw(fault.Body(f), true)
}

// writeTime is how long a caller may take nothing of what is sent. It is real
// time: it bounds what a caller who stopped reading holds of this machine.
const writeTime = time.Minute

// streamTime bounds a whole stream, also one that is read a byte at a time.
const streamTime = 30 * time.Minute

// openWithin is how long the headers of a stream wait for its first chunk, so that early failures
// have a status of their own. Clients wait for headers a minute, and a slow machine may read a long
// prompt for longer: what fails later is told in the stream. It is real time, as theirs is.
const openWithin = 10 * time.Second

// chunks writes a stream in either form and flushes every chunk.
type chunks struct {
	w       http.ResponseWriter
	control *http.ResponseController
	clock   clock.Clock
	events  bool
	begin   func()
	mask    fieldmask.Mask // what is kept of every chunk; nil keeps all

	// mu guards what the timer of the headers and the stream both touch.
	mu     sync.Mutex
	opened bool // the headers are sent
	begun  bool // a chunk is
	ended  bool
	// frame is used again for every chunk.
	frame []byte
}

// openLater sends the headers after openWithin, unless a chunk has or the returned function
// was called before.
func (c *chunks) openLater() (stop func()) {
	timer, stopped := c.clock.NewTimer(openWithin), make(chan struct{})
	go func() {
		defer timer.Stop()
		select {
		case <-stopped:
		case <-timer.C:
			c.mu.Lock()
			defer c.mu.Unlock()
			if !c.opened && !c.ended {
				c.open()
				_ = c.control.Flush() // the next chunk meets the same failure
			}
		}
	}()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = true
		close(stopped)
	}
}

func (c *chunks) send(chunk api.Response) error {
	b, err := wire.EncodeJSON(&chunk)
	if err != nil {
		return err
	}
	if c.mask != nil {
		b = c.mask.Filter(b)
	}
	return c.raw(b, false)
}

func (c *chunks) raw(b []byte, last bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	frame := c.frame[:0]
	switch {
	case c.events:
		frame = append(append(append(frame, "data: "...), b...), "\r\n\r\n"...)
	case !c.begun:
		frame = append(append(frame, '['), b...)
	default:
		frame = append(append(frame, ",\r\n"...), b...)
	}
	if last && !c.events {
		frame = append(frame, ']')
	}
	return c.write(frame)
}

// event writes one event of a stream that names its events.
func (c *chunks) event(name string, b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	frame := c.frame[:0]
	if name != "" {
		frame = append(append(append(frame, "event: "...), name...), '\n')
	}
	return c.write(append(append(append(frame, "data: "...), b...), "\n\n"...))
}

func (c *chunks) write(frame []byte) error {
	c.frame, c.begun = frame, true
	if !c.opened {
		c.open()
	}
	// Writers without deadlines are those of tests, which read everything.
	_ = c.control.SetWriteDeadline(c.clock.Now().Add(writeTime))
	_, err := c.w.Write(frame)
	if err == nil {
		err = c.control.Flush()
	}
	_ = c.control.SetWriteDeadline(time.Time{}) // the next chunk may be long in coming
	return err
}

func (c *chunks) open() {
	c.opened = true
	c.begin()
	header := c.w.Header()
	header.Set("Content-Type", "application/json; charset=UTF-8")
	if c.events {
		header.Set("Content-Type", "text/event-stream")
	}
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // proxies must not hold chunks back
	c.w.WriteHeader(http.StatusOK)
}

func (c *chunks) end() error {
	if c.events {
		return nil
	}
	_, err := c.w.Write([]byte{']'})
	return err
}
