package journalstream

import (
	"errors"
	"io"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/accessrecheck"
)

// pulse is how often a stream without requests says that it is there.
const pulse = 15 * time.Second

// Stream is what one reader is sent.
type Stream struct {
	Journal *journal.Journal
	// Event is what is sent of a request, empty for nothing. The watcher tells how many came too fast to be sent.
	Event func(*journal.Record, *journal.Watcher) (string, error)
	// Allowed is asked while the answer lasts; accessrecheck.ErrLost ends it. Nil allows everything.
	Allowed func() error
	// Last is sent when the world ends, empty for nothing.
	Last string
}

// Serve sends events until the reader leaves, may not read them any more, or the world ends.
func (s Stream) Serve(w http.ResponseWriter, r *route.Request) error {
	watcher := s.Journal.Watch()
	defer watcher.Stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // proxies must not hold events back
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	if err := out.Flush(); err != nil {
		return err
	}
	access := accessrecheck.New(clock.Real(), s.allowed)
	timer := clock.Real().NewTimer(pulse)
	defer func() { timer.Stop() }()
	for goesOn := true; goesOn; {
		text := ":\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-timer.C:
			timer = clock.Real().NewTimer(pulse)
		case record, more := <-watcher.Records():
			var err error
			goesOn, text = more, s.Last
			if more {
				text, err = s.Event(record, watcher)
			}
			if err != nil {
				return err
			}
			if text == "" {
				continue
			}
		}
		if err := access.Check(); errors.Is(err, accessrecheck.ErrLost) {
			return nil // nothing has failed
		} else if err != nil {
			return err
		}
		if _, err := io.WriteString(w, text); err != nil {
			return nil // the reader has gone
		}
		if err := out.Flush(); err != nil {
			return nil
		}
	}
	return nil
}

func (s Stream) allowed() error {
	if s.Allowed == nil {
		return nil
	}
	return s.Allowed()
}
