package streams

import (
	"net/http"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/apifamily/fieldmask"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
)

// writeTime is how long a caller may take nothing of what is sent. It is real
// time: it bounds what a caller who stopped reading holds of this machine.
const writeTime = time.Minute

// openWithin is how long the headers of a stream wait for its first chunk, so that early failures
// have a status of their own. Clients wait for headers a minute, and a slow machine may read a long
// prompt for longer: what fails later is told in the stream. It is real time, as theirs is.
const openWithin = 10 * time.Second

// Chunks writes a stream in either form and flushes every chunk.
type Chunks struct {
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

// New makes a stream of server-sent events, or of the elements of one JSON array. begin sets
// further headers.
func New(w http.ResponseWriter, events bool, mask fieldmask.Mask, begin func()) *Chunks {
	return &Chunks{
		w: w, control: http.NewResponseController(w), clock: clock.Real(), events: events, begin: begin, mask: mask,
	}
}

// Opened reports whether the status is sent.
func (c *Chunks) Opened() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opened
}

// OpenLater sends the headers after openWithin, unless a chunk has or the returned function
// was called before.
func (c *Chunks) OpenLater() (stop func()) {
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

// Send writes a chunk.
func (c *Chunks) Send(chunk api.Response) error {
	b, err := wire.EncodeJSON(&chunk)
	if err != nil {
		return err
	}
	if c.mask != nil {
		b = c.mask.Filter(b)
	}
	return c.Raw(b, false)
}

// Raw writes a chunk that is JSON already. After the last one of an array nothing may follow.
func (c *Chunks) Raw(b []byte, last bool) error {
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

// Event writes one event of a stream that names its events.
func (c *Chunks) Event(name string, b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	frame := c.frame[:0]
	if name != "" {
		frame = append(append(append(frame, "event: "...), name...), '\n')
	}
	return c.write(append(append(append(frame, "data: "...), b...), "\n\n"...))
}

func (c *Chunks) write(frame []byte) error {
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

func (c *Chunks) open() {
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

// End ends a stream that was not ended by its last chunk.
func (c *Chunks) End() error {
	if c.events {
		return nil
	}
	_, err := c.w.Write([]byte{']'})
	return err
}
