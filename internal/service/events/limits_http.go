package events

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// points is what a request costs of the budget per minute.
func points(method string) int64 {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return 1
	}
	return 5
}

// gate charges every budget of a request but the primary one of conditional
// routes, which their handlers charge once they know what they answer.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (func(), error) {
	caller := identity.From(r)
	b, err := s.budgetOf(r.Context(), caller, route.Network(r.Request))
	if err != nil {
		return nil, err
	}
	leave, held, err := s.world.Limits.Gate(r.Context(), "events.concurrent", b.key, s.config.Limits.Concurrent)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		return nil, secondaryError(held)
	}
	if err != nil {
		return nil, err
	}
	class := r.Route.Tags[tagLimit]
	charges := s.secondary(b.key, r.Route.Name, points(r.Method), class == content)
	if class != conditional && class != free {
		charges = append([]limit.Charge{{Window: b.window, Key: b.key, Cost: 1}}, charges...)
	}
	decisions, err := s.world.Limits.TakeAll(r.Context(), charges)
	if err != nil {
		leave()
		return nil, s.refused(w, b, decisions, err)
	}
	if class != conditional && class != free {
		s.printLimits(w, decisions[0])
	}
	return s.finish(r, b.key, leave), nil
}

// refused says which limit a request has met, and prints the primary budget
// when it is known.
func (s *Service) refused(w http.ResponseWriter, b budget, decisions []limit.Decision, err error) error {
	var exceeded *limit.Exceeded
	if !errors.As(err, &exceeded) {
		return err
	}
	if exceeded.Name != b.window.Name {
		return secondaryError(exceeded.Decision)
	}
	s.printLimits(w, decisions[0])
	return primaryError(b, exceeded.Decision)
}

// finish spends what the request has cost and leaves the gate.
func (s *Service) finish(r *route.Request, key string, leave func()) func() {
	began := s.meter.Now()
	ctx := context.WithoutCancel(r.Context())
	// What is too little to matter is not worth a charge of its own, which is
	// a transaction where the counters are shared.
	least := s.config.Limits.CPU.Microseconds() / 100_000
	return func() {
		if used := s.meter.Now().Sub(began).Microseconds(); used > max(1, least) {
			// A budget that cannot be charged now is one charge behind.
			_, _ = s.world.Limits.Spend(ctx, s.cpu(), key, used-1)
		}
		leave()
	}
}

// count charges the primary budget of a conditional request. An error of the
// request itself is returned after the charge, for it counts too.
func (s *Service) count(w http.ResponseWriter, r *route.Request, failed error) error {
	b, err := s.budgetOf(r.Context(), identity.From(r), route.Network(r.Request))
	if err != nil {
		return errors.Join(failed, err)
	}
	d, err := s.world.Limits.Take(r.Context(), b.window, b.key, 1)
	if err != nil {
		return s.refused(w, b, []limit.Decision{d}, err)
	}
	s.printLimits(w, d)
	return failed
}

// peek prints the primary budget without charging it.
func (s *Service) peek(w http.ResponseWriter, r *route.Request) (limit.Decision, error) {
	b, err := s.budgetOf(r.Context(), identity.From(r), route.Network(r.Request))
	if err != nil {
		return limit.Decision{}, err
	}
	d, err := s.world.Limits.Peek(r.Context(), b.window, b.key)
	if err == nil {
		s.printLimits(w, d)
	}
	return d, err
}

// printLimits sets the five headers.
func (s *Service) printLimits(w http.ResponseWriter, d limit.Decision) {
	h := w.Header()
	values := [4]string{
		strconv.FormatInt(d.Limit, 10), strconv.FormatInt(d.Remaining, 10),
		strconv.FormatInt(min(d.Used, d.Limit), 10), strconv.FormatInt(s.reset(d), 10),
	}
	h["X-Ratelimit-Limit"] = values[0:1:1]
	h["X-Ratelimit-Remaining"] = values[1:2:2]
	h["X-Ratelimit-Used"] = values[2:3:3]
	h["X-Ratelimit-Reset"] = values[3:4:4]
	h["X-Ratelimit-Resource"] = s.words.core
}

// reset is when the window ends, in whole seconds, never more than an hour
// ahead. When nothing is left it is rounded up: who waits until then is served.
// A window that has not begun would end an hour from now.
func (s *Service) reset(d limit.Decision) int64 {
	at := d.Reset
	if at.IsZero() || d.Used == 0 {
		at = s.world.Clock.Now().Add(s.primary(0).Per)
	}
	seconds := at.Unix()
	if d.Remaining == 0 && at.Nanosecond() > 0 {
		seconds++
	}
	return seconds
}
