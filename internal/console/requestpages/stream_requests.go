package requestpages

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
)

// pulse is how often a stream without requests says that it is there.
const pulse = 15 * time.Second

// Stream sends rows as requests are answered, until the reader leaves.
func (p *Pages) Stream(w http.ResponseWriter, r *route.Request) error {
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
	timer := clock.Real().NewTimer(pulse)
	defer func() { timer.Stop() }()
	for {
		text := ":\n\n"
		select {
		case <-r.Context().Done():
			return nil
		case <-timer.C:
			timer = clock.Real().NewTimer(pulse)
		case record, ok := <-watcher.Records():
			if !ok {
				text = "event: end\ndata: \n\n"
			} else if !p.wanted(&f, record) {
				continue
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
