package labels

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// faultDefinitions are the refusals of the service by name. The contract has one
// operation and no error table: these are the answers of its API family.
func (s *Service) faultDefinitions() []module.Fault {
	refused := func(name, description string, status int, err error) module.Fault {
		return module.Fault{Name: name, Status: status, Description: description, Handle: module.Refuse(err)}
	}
	return []module.Fault{
		refused("name_required", "The query parameter name is missing.", http.StatusBadRequest,
			errInvalidField("name", "the query parameter name is required and must be %s", LimitsName)),
		refused("name_invalid", "The query parameter name is not the one that there is.", http.StatusBadRequest,
			errInvalidField("name", "the query parameter name must be %s", LimitsName)),
		refused("body_not_empty", "The request has a body, and the operation takes none.", http.StatusBadRequest,
			errInvalidField("body", "the request body must be empty")),
		refused("token_missing", "The request comes without a token, as after a proxy took it away.",
			http.StatusUnauthorized, route.ErrNoCredential),
		refused("token_invalid", "The token is not known here.", http.StatusUnauthorized,
			&route.CredentialError{Reason: route.Unknown}),
		refused("rate_limit_exceeded", "The caller has used up the requests of this minute.",
			http.StatusTooManyRequests, &limit.Exceeded{Decision: limit.Decision{
				Name: s.perMinute().Name, Limit: s.perMinute().Limit, Used: s.perMinute().Limit, RetryAfter: time.Minute,
			}}),
		refused("backend_error", "The service failed; the answer has the reason backendError.",
			http.StatusServiceUnavailable, &route.UnavailableError{}),
		refused("body_too_large", "The request is larger than the service takes.",
			http.StatusRequestEntityTooLarge, wire.ErrTooLarge),
	}
}
