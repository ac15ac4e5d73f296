package web

import (
	"errors"
	"fmt"
	"net/http"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/accessrecheck"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// stillReads is accessrecheck.ErrLost once the viewer of a page may not read its project any more.
func (p *Pages) stillReads(r *route.Request) error {
	_, _, _, err := p.target(r)
	if refusal.Has(err) || errors.Is(err, route.ErrNoRoute) {
		return accessrecheck.ErrLost
	}
	return err
}

// newFollower takes memory for what a job has done so far.
func (p *Pages) newFollower(r *route.Request, buildID int64) (*follower, error) {
	so, err := build.ProgressOf(r.Context(), p.World.DB, buildID)
	if err != nil {
		return nil, err
	}
	memory, err := p.World.Memory.Take(r.Context(), r.Owner(), so.Actions*actionMemory)
	return &follower{
		p: p, buildID: buildID, memory: memory, held: so.Actions, sent: map[actionKey]int64{}, size: map[actionKey]int64{},
		status: map[actionKey]build.ActionStatus{},
	}, err
}

// serveEvents follows a job with server-sent events until it ends, or until its reader may
// not read it any more.
func (p *Pages) serveEvents(w http.ResponseWriter, r *route.Request, b build.Build) error {
	leave, err := p.streams.open(clientaddr.Network(r.Request))
	if err != nil {
		return err
	}
	defer leave()
	f, err := p.newFollower(r, b.ID)
	if err != nil {
		return err
	}
	defer f.memory.Release()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	f.send = func(kind string, v any) error {
		text, err := wire.EncodeJSON(v)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, text)
		return err
	}
	heard, end := p.Watch(b.ID)
	defer end()
	flush := http.NewResponseController(w)
	access := accessrecheck.New(p.machine, func() error { return p.stillReads(r) })
	for until := p.machine.Now().Add(streamLife); p.machine.Now().Before(until); {
		if err := access.Check(); errors.Is(err, accessrecheck.ErrLost) {
			return nil
		} else if err != nil {
			return err
		}
		began := p.machine.Now()
		ended, err := f.advance(r.Context())
		if err != nil {
			return err
		}
		if err := flush.Flush(); err != nil || ended {
			return err
		}
		// A look at thousands of steps takes long, and a job that prints is looked at again at once.
		rest := streamRest * p.machine.Now().Sub(began)
		if clock.Sleep(r.Context(), p.machine, min(rest, maxStreamRest)) != nil {
			return nil // the reader is gone
		}
		timer := p.machine.NewTimer(streamInterval)
		select {
		case <-heard:
		case <-timer.C:
		case <-r.Context().Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
	return nil
}
