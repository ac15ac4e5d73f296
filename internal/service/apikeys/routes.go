package apikeys

import (
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// maxBody is far above the two members a request can hold.
const maxBody = 16 << 10

// routes is the operation table of the contract.
func (s *Service) routes() []route.Route {
	return []route.Route{
		{
			Method: "POST", Pattern: "/v2/api-keys/refresh", Name: "refresh",
			Access: route.Required, MaxBody: maxBody, Handle: s.handleRefresh,
		},
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service:      Name,
		WriteError:   s.writeError,
		Extract:      credential.Bearer(),
		Authenticate: s.authenticate,
		Before:       s.before,
		Gate:         s.gate,
		CORS:         &route.CORS{MaxAge: 24 * time.Hour},
		FaultRules:   s.world.FaultRules,
		Journal:      s.world.Journal,
		Clock:        s.world.Clock,
		IDs:          s.world.IDs,
		Memory:       s.world.Memory,
		Requests:     s.world.Requests,
		Telemetry:    s.world.Telemetry,
	}
}

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
