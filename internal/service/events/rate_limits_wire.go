package events

import (
	"stoa.dev/stoa/internal/platform/limit"
)

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
