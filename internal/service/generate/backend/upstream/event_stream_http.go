package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/generate/api"
)

// Bounds of what a server may send.
const (
	maxEvent  = 16 << 20
	maxAnswer = 64 << 20
	// maxEventValues and maxVectorValues are how many JSON values an event and a
	// list of vectors hold.
	maxEventValues  = 200_000
	maxVectorValues = 2_000_000
)

// lastEvent is the last event of servers of the OpenAI form.
const lastEvent = "[DONE]"

// decode reads JSON of an upstream within bounds.
func decode(text []byte, into any, maxValues int) error {
	return wire.DecodeJSON(text, into, wire.AllowNUL(), wire.MaxValues(maxValues))
}

// ReadEvents decodes the data of server-sent events, each into a new E. A stream
// that just ends is whole only if the model had said why it stopped.
func ReadEvents[E any](answer io.Reader, fn func(*E) error, whole func() bool) error {
	lines := bufio.NewScanner(http.MaxBytesReader(nil, io.NopCloser(answer), maxAnswer))
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // blank lines, comments and event names
		}
		if data = bytes.TrimSpace(data); string(data) == lastEvent {
			break
		}
		event := new(E)
		if err := decode(data, event, maxEventValues); err != nil {
			return Retryable(err, "the model's server sent something that is not a chunk of an answer")
		}
		if err := fn(event); err != nil {
			return err
		}
	}
	var over *http.MaxBytesError
	if errors.As(lines.Err(), &over) {
		return api.ErrUnavailable(over, "the model's server sent more than %d bytes", maxAnswer)
	}
	if err := lines.Err(); err != nil || !whole() {
		return Retryable(err, "the model's server broke off in the middle of the answer")
	}
	return nil
}

// errIdle means that a stream paused for too long.
var errIdle = errors.New("generate: the upstream is silent")

// idleReader cancels the request when one read takes longer than idle.
type idleReader struct {
	r      io.Reader
	clock  clock.Clock
	idle   time.Duration
	cancel context.CancelCauseFunc
}

func (i *idleReader) Read(b []byte) (int, error) {
	timer := i.clock.NewTimer(i.idle)
	done := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-timer.C:
			i.cancel(errIdle)
		case <-done:
		}
	}()
	n, err := i.r.Read(b)
	close(done)
	timer.Stop()
	<-watching
	return n, err
}
