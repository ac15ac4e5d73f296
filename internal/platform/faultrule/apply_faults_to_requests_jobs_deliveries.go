package faultrule

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"google.golang.org/grpc"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/wirefault"
	"stoa.dev/stoa/internal/platform/wire"
)

// FindFault implements route.FaultRules.
func (s *Set) FindFault(service string, r *route.Request) *route.Fault {
	if len(*s.rules.Load()) == 0 {
		return nil
	}
	met := s.find(&subject{
		service: service, operation: r.Route.Name, method: r.Method, path: r.URL.Path, header: r.Header,
		body: func() []byte { return wirefault.Peek(r.Request) },
		caller: func() string {
			if r.Caller == nil {
				return ""
			}
			return r.Caller.String()
		},
	})
	if met == nil {
		return nil
	}
	d := met.Deed
	f := &route.Fault{Name: d.Name(), Rule: met.id, Reset: d.Reset, WorldClock: d.Clock == WorldClock}
	switch met.kind {
	case kindFault:
		// It was found a moment ago.
		if named := s.catalogue().find(service, r.Route.Name, d.Fault); named != nil {
			f.Handle = named.Handle
		}
		if d.Fault == staleRead {
			f.Handle = met.stale.handle
		}
	case kindStatus:
		f.Handle = d.answer
	case kindDelay:
		f.Delay = time.Duration(*d.Delay)
	case kindCut:
		f.Cut, f.CutAfter = true, d.Cut.AfterBytes
	case kindDrip:
		f.BytesPerSecond = d.Drip.BytesPerSecond
	default: // the others need no more
	}
	return f
}

// answer writes the deed's own status, headers and body.
func (d Deed) answer(w http.ResponseWriter, r *route.Request) error {
	for name, value := range d.Headers {
		w.Header().Set(name, value)
	}
	if d.Body == nil {
		w.WriteHeader(d.Status)
		return nil
	}
	mediaType, body := "application/json", []byte(d.Body)
	var text string
	if json.Unmarshal(d.Body, &text) == nil {
		mediaType, body = "text/plain; charset=utf-8", []byte(text)
	}
	if own := w.Header().Get("Content-Type"); own != "" {
		mediaType = own
	}
	return wire.WriteBytes(w, r.Request, d.Status, mediaType, body)
}

// Remote is a call of a remote procedure.
type Remote struct {
	// Service is the module's name, Procedure the last part of Path.
	Service, Procedure, Path string
	Header                   http.Header
	// Clock is the world's.
	Clock clock.Clock
}

// Call makes a remote call, or what a rule does to it.
func (s *Set) Call(ctx context.Context, c Remote, in any, next grpc.UnaryHandler) (any, error) {
	met := s.find(&subject{
		sort: sortCall, service: c.Service, operation: c.Procedure, method: http.MethodPost, path: c.Path,
		caller: func() string { return "" }, header: c.Header,
		body: func() []byte {
			text, err := json.Marshal(in)
			if err != nil {
				return nil
			}
			return text
		},
	})
	if met == nil {
		return next(ctx, in)
	}
	journal.From(ctx).SetFault(met.Deed.Name(), met.id)
	if met.kind == kindDelay {
		on := clock.Real()
		if met.Deed.Clock == WorldClock {
			on = c.Clock
		}
		var held journal.Delay
		err := held.Wait(ctx, clock.Real(), c.Clock, on, time.Duration(*met.Deed.Delay))
		journal.From(ctx).SetDelay(held)
		if err != nil {
			return nil, err
		}
		return next(ctx, in)
	}
	if named := s.catalogue().find(c.Service, c.Procedure, met.Deed.Fault); named != nil && named.Call != nil {
		return named.Call(ctx, in, next)
	}
	return next(ctx, in)
}

// Job is what happens to a run of a job in place of the run: an error, or nil to
// let it run.
func (s *Set) Job(job jobs.Job, payload []byte) error {
	met := s.find(&subject{
		sort: sortJob, service: Jobs, operation: job.Kind, id: job.ID, body: func() []byte { return payload },
	})
	switch {
	case met == nil:
		return nil
	case met.kind == kindDelay:
		return jobs.Postpone(errors.New("faults: a rule delays the job"), time.Duration(*met.Deed.Delay))
	}
	return errors.New(met.Deed.Fail)
}

// Delivery is what happens to an attempt to deliver a message.
func (s *Set) Delivery(d deliver.Delivery, m deliver.Request) deliver.Fault {
	header := http.Header{}
	for name, value := range m.Header {
		header.Set(name, value)
	}
	path := ""
	if u, err := url.Parse(m.URL); err == nil {
		path = u.Path
	}
	met := s.find(&subject{
		sort: sortDelivery, service: Deliveries, operation: d.Service, method: m.Method, path: path, header: header,
		id: d.ID, caller: func() string { return d.Owner }, body: func() []byte { return m.Body },
	})
	if met == nil {
		return deliver.Fault{}
	}
	out := deliver.Fault{Drop: met.Deed.Drop, Copies: met.Deed.Duplicate}
	if met.kind == kindDelay {
		out.Delay = time.Duration(*met.Deed.Delay)
	}
	return out
}
