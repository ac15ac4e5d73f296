package apikeys

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
)

// ownerKeys is how many keys' budgets one owner has, and networkKeys one network.
const (
	ownerKeys   = 5
	networkKeys = 50
)

// perOwner bounds all keys of one owner together.
func (s *Service) perOwner() limit.Window {
	return limit.Window{Name: Name + ".owner", Limit: s.config.RequestsPerMinute * ownerKeys, Per: time.Minute}
}

// perNetwork bounds callers before their key is looked at.
func (s *Service) perNetwork() limit.Window {
	return limit.Window{Name: Name + ".network", Limit: s.config.RequestsPerMinute * networkKeys, Per: time.Minute}
}

// perMinute is the budget of one key: a key that exceeds it is blocked for a minute.
func (s *Service) perMinute() limit.Window {
	return limit.Window{
		Name: Name + ".requests", Limit: s.config.RequestsPerMinute, Per: time.Minute,
		Penalty: limit.Penalty{After: 1, Base: time.Minute, Max: time.Minute},
	}
}

// gate charges the key's budget and prints the three headers.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (func(), error) {
	key := strconv.FormatInt(identity.From(r).TokenID, 10)
	decision, err := s.world.Limits.Take(r.Context(), s.perMinute(), key, 1)
	var exceeded *limit.Exceeded
	if err != nil && !errors.As(err, &exceeded) {
		return nil, err
	}
	wait := decision.Reset.Sub(s.world.Clock.Now())
	if exceeded != nil {
		wait = exceeded.RetryAfter
	}
	header := w.Header()
	header.Set("X-RateLimit-Limit-Default", strconv.FormatInt(decision.Limit, 10))
	header.Set("X-RateLimit-Remaining-Default", strconv.FormatInt(decision.Remaining, 10))
	header.Set("X-RateLimit-Reset-Default", wire.WholeSeconds(wait))
	if err != nil {
		return nil, err
	}
	// A refresh gives a new key with a budget of its own; the owner's stays.
	_, err = s.world.Limits.Take(r.Context(), s.perOwner(), r.Caller.LimitKey(), 1)
	return nil, err
}

// before charges the caller's network, whether its key is good or not.
func (s *Service) before(_ http.ResponseWriter, r *route.Request) error {
	_, err := s.world.Limits.Take(r.Context(), s.perNetwork(), "network:"+clientaddr.Network(r.Request), 1)
	return err
}
