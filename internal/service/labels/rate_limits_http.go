package labels

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) perMinute() limit.Window {
	return limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerMinute, Per: time.Minute}
}

// gate charges the caller's window before the handler runs.
func gate(limiter *limit.Limiter, window limit.Window) func(http.ResponseWriter, *route.Request) (func(), error) {
	return func(_ http.ResponseWriter, r *route.Request) (func(), error) {
		_, err := limiter.Take(r.Context(), window, r.Caller.LimitKey(), 1)
		return nil, err
	}
}
