package apikeys

import (
	"fmt"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// faultDefinitions are the refusals of a refresh by name.
func (s *Service) faultDefinitions() []module.Fault {
	refused := func(name, description string, status int, err error) module.Fault {
		return module.Fault{Name: name, Status: status, Description: description, Handle: module.Refuse(err)}
	}
	return []module.Fault{
		refused("key_already_refreshed", "The key was refreshed or revoked in between; the new one is not shown again.",
			http.StatusUnauthorized, errUnauthorized("the API key is not valid: it has already been refreshed or revoked")),
		refused("key_expired", "The key has expired and cannot be refreshed any more.",
			http.StatusUnauthorized, &route.CredentialError{Reason: route.Expired}),
		refused("key_unknown", "The key is not one of this service.",
			http.StatusUnauthorized, &route.CredentialError{Reason: route.Unknown}),
		refused("team_key_refused", "The key belongs to a team whose owners and administrators alone may refresh it.",
			http.StatusUnauthorized,
			errUnauthorized("a team's API key can only be refreshed by an owner or administrator of the team")),
		refused("days_too_many", "apiKeyDaysValid is larger than the service allows.", http.StatusBadRequest,
			errViolations([]Violation{daysViolation("max",
				fmt.Sprintf("apiKeyDaysValid must not be greater than %d", s.config.MaxDays))})),
		refused("days_contradict", "apiKeyDaysValid and apiKeyNeverExpires contradict each other.", http.StatusBadRequest,
			errInvalid("apiKeyDaysValid and apiKeyNeverExpires cannot be set together; send one of them or none")),
		refused("throttled", "The key has used up the requests of this minute.", http.StatusTooManyRequests,
			&limit.Exceeded{Decision: limit.Decision{
				Name: Name + ".requests", Limit: s.config.RequestsPerMinute, Used: s.config.RequestsPerMinute,
				RetryAfter: time.Minute,
			}}),
	}
}
