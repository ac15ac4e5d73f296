package requestpages

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/lasting"
)

// pulse is how often a stream without requests says that it is there.
const pulse = 15 * time.Second

// Stream sends rows as requests are answered, until the reader leaves or may not read them
// any more, which allowed says.
func (p *Pages) Stream(w http.ResponseWriter, r *route.Request, allowed func() error) error {
	f, problem := filter(r.Query())
	if problem != "" {
		return route.ErrNoRoute
	}
	watcher := p.o.Journal.Watch()
	defer watcher.Stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	if err := out.Flush(); err != nil {
		return err
	}
	right := lasting.New(clock.Real(), allowed)
	timer := clock.Real().NewTimer(pulse)
	defer func() { timer.Stop() }()
	for {
		text := ":\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-timer.C:
			timer = clock.Real().NewTimer(pulse)
			if err := right.Check(); err != nil {
				return ended(err)
			}
		case record, ok := <-watcher.Records():
			if !ok {
				text = "event: end\ndata: \n\n"
			} else if !p.wanted(&f, record) {
				continue
			} else if err := right.Check(); err != nil {
				return ended(err)
			} else {
				var line bytes.Buffer
				if err := p.templates.ExecuteTemplate(&line, "row", toRow(record)); err != nil {
					return err
				}
				text = "data: " + string(bytes.ReplaceAll(address(r, line.Bytes()), []byte("\n"), nil)) + "\n\n"
			}
			if _, err := fmt.Fprint(w, text); err != nil || !ok {
				return err
			}
			if err := out.Flush(); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprint(w, text); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

// ended is nil where the reader has lost the right: nothing has failed.
func ended(err error) error {
	if errors.Is(err, lasting.ErrLost) {
		return nil
	}
	return err
}
