package events

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
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
	b, err := s.budgetOf(r.Context(), caller, clientaddr.Network(r.Request))
	if err != nil {
		return nil, err
	}
	leave, held, err := s.world.Limits.Gate(r.Context(), Name+".concurrent", b.key, s.config.Limits.Concurrent)
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		return nil, secondaryError(held)
	}
	if err != nil {
		return nil, err
	}
	class := r.Route.Tags[tagLimit]
	charges := s.secondary(b.key, r.Route.Name, points(r.Method), class == content)
	if class == query { // what it changes is charged when it is known
		charges = append(s.secondary(b.key, query, 1, false), limit.Charge{Window: s.queryCPU(), Key: b.key, Cost: 1})
	}
	charged := class != conditional && class != free && class != query
	if charged {
		charges = append([]limit.Charge{{Window: b.window, Key: b.key, Cost: 1}}, charges...)
	}
	decisions, err := s.world.Limits.TakeAll(r.Context(), charges)
	if err != nil {
		leave()
		return nil, s.limitError(w, b, decisions, err)
	}
	if charged {
		s.setLimitHeaders(w, decisions[0])
	}
	return s.spendWhenDone(r, b.key, leave), nil
}

// limitError translates the refusal of a limit, and sets the headers of the primary
// budget when it is known.
func (s *Service) limitError(w http.ResponseWriter, b budget, decisions []limit.Decision, err error) error {
	var exceeded *limit.Exceeded
	if !errors.As(err, &exceeded) {
		return err
	}
	if exceeded.Name != b.window.Name {
		return secondaryError(exceeded.Decision)
	}
	s.setLimitHeaders(w, decisions[0])
	return primaryError(b, exceeded.Decision)
}

// spendWhenDone returns the function that charges what the request has cost, and
// leaves the gate.
func (s *Service) spendWhenDone(r *route.Request, key string, leave func()) func() {
	began := s.meter.Now()
	ctx := context.WithoutCancel(r.Context())
	// A small amount is not charged: a charge is a transaction where processes share
	// the counters.
	least := s.config.Limits.CPU.Microseconds() / 100_000
	windows := []limit.Window{s.cpu()}
	if r.Route.Tags[tagLimit] == query {
		windows = append(windows, s.queryCPU())
	}
	return func() {
		if used := s.meter.Now().Sub(began).Microseconds(); used > max(1, least) {
			for _, w := range windows {
				// A budget that cannot be charged now is one charge behind.
				_, _ = s.world.Limits.Spend(ctx, w, key, used-1)
			}
		}
		leave()
	}
}

// charge charges the primary budget of a conditional request. An error of the
// request itself is returned after the charge, because it counts too.
func (s *Service) charge(w http.ResponseWriter, r *route.Request, failed error) error {
	b, err := s.budgetOf(r.Context(), identity.From(r), clientaddr.Network(r.Request))
	if err != nil {
		return errors.Join(failed, err)
	}
	d, err := s.world.Limits.Take(r.Context(), b.window, b.key, 1)
	if err != nil {
		return s.limitError(w, b, []limit.Decision{d}, err)
	}
	s.setLimitHeaders(w, d)
	return failed
}

// peek sets the headers of the primary budget without charging it.
func (s *Service) peek(w http.ResponseWriter, r *route.Request) (limit.Decision, error) {
	b, err := s.budgetOf(r.Context(), identity.From(r), clientaddr.Network(r.Request))
	if err != nil {
		return limit.Decision{}, err
	}
	d, err := s.world.Limits.Peek(r.Context(), b.window, b.key)
	if err == nil {
		s.setLimitHeaders(w, d)
	}
	return d, err
}

// setLimitHeaders sets the five headers.
func (s *Service) setLimitHeaders(w http.ResponseWriter, d limit.Decision) {
	h := w.Header()
	values := [4]string{
		strconv.FormatInt(d.Limit, 10), strconv.FormatInt(d.Remaining, 10),
		strconv.FormatInt(min(d.Used, d.Limit), 10), strconv.FormatInt(s.resetTime(d), 10),
	}
	h["X-Ratelimit-Limit"] = values[0:1:1]
	h["X-Ratelimit-Remaining"] = values[1:2:2]
	h["X-Ratelimit-Used"] = values[2:3:3]
	h["X-Ratelimit-Reset"] = values[3:4:4]
	h["X-Ratelimit-Resource"] = s.words.core
}

// resetTime is when the window ends, in whole seconds, never more than an hour
// ahead. When nothing is left it is rounded up: a client that waits is served then.
// A window that has not begun would end an hour from now.
func (s *Service) resetTime(d limit.Decision) int64 {
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

func (s *Service) handleRateLimit(w http.ResponseWriter, r *route.Request) error {
	d, err := s.peek(w, r)
	if err != nil {
		return err
	}
	b, err := s.budgetOf(r.Context(), identity.From(r), clientaddr.Network(r.Request))
	if err != nil {
		return err
	}
	queries, err := s.world.Limits.Peek(r.Context(), b.of(query).window, b.key)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-cache")
	return wire.WriteJSON(w, r.Request, http.StatusOK, s.rateLimit(d, queries, s.version(r)))
}

type resourceJSON struct {
	Limit     int64 `json:"limit"`
	Used      int64 `json:"used"`
	Remaining int64 `json:"remaining"`
	Reset     int64 `json:"reset"`
}

type rateLimitJSON struct {
	Resources map[string]resourceJSON `json:"resources"`
	Rate      *resourceJSON           `json:"rate,omitempty"`
}

// rateLimit is the state of the primary budgets: one for all operations, and one for queries.
func (s *Service) rateLimit(d, queries limit.Decision, v Version) rateLimitJSON {
	own := s.resource(d)
	out := rateLimitJSON{Resources: map[string]resourceJSON{core: own, query: s.resource(queries)}}
	if v == Version2022 {
		out.Rate = &own
	}
	return out
}

func (s *Service) resource(d limit.Decision) resourceJSON {
	return resourceJSON{Limit: d.Limit, Used: min(d.Used, d.Limit), Remaining: d.Remaining, Reset: s.resetTime(d)}
}
