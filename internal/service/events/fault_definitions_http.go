package events

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// faultDefinitions are the refusals of the service by name.
func (s *Service) faultDefinitions() []module.Fault {
	refused := func(name, description string, status int, err error, operations ...string) module.Fault {
		return module.Fault{
			Name: name, Status: status, Description: description, Operations: operations, Handle: module.Refuse(err),
		}
	}
	repositories := []string{
		"list_network_events", "list_repo_events", "list_repo_events_by_id", "get_repo", "get_repo_by_id", "update_repo",
		"delete_repo", "fork_repo", "add_event",
	}
	return []module.Fault{
		refused("secondary_rate_limit", "A secondary limit was exceeded; Retry-After says how long to wait.",
			http.StatusForbidden, secondaryError(limit.Decision{RetryAfter: time.Minute})),
		{
			Name: "primary_rate_limit", Status: http.StatusForbidden, Handle: s.refusePrimary,
			Description: "The hourly budget is used up; X-RateLimit-Remaining is 0 and X-RateLimit-Reset says until when.",
		},
		refused("bad_credentials", "The token is not known or no longer good.",
			http.StatusUnauthorized, &route.CredentialError{Reason: route.Unknown}),
		refused("permission_missing", "The token lacks a permission; a header names it.",
			http.StatusForbidden, errMissingPermission("contents=read")),
		refused("user_agent_missing", "The request has no user agent, which administrative rules require.",
			http.StatusForbidden, errAgent()),
		refused("not_found", "The repository does not exist, or the caller may not see it.",
			http.StatusNotFound, errNotFound(), repositories...),
		{
			Name: "moved", Status: http.StatusMovedPermanently, Operations: repositories[:3], Handle: s.refuseMoved,
			Description: "The repository was renamed: the answer names the address by its number.",
		},
		refused("pagination_limited", "The page lies beyond what the feed keeps.",
			http.StatusUnprocessableEntity, errPagination(),
			"list_public_events", "list_network_events", "list_org_events", "list_repo_events", "list_user_events",
			"list_received_events"),
		refused("version_unsupported", "The requested version of the API is not supported.",
			http.StatusBadRequest, errVersion("2000-01-01")),
		refused("version_retired", "The requested version of the API is no longer supported.",
			http.StatusGone, errRetired("2000-01-01")),
		refused("service_unavailable", "The service is not available, which GET /events may answer.",
			http.StatusServiceUnavailable, &route.UnavailableError{}),
		refused("validation_failed", "A member of the body is not valid any more.",
			http.StatusUnprocessableEntity, errInvalidField("name", "name already exists on this account"),
			"create_repo", "create_org_repo", "update_repo"),
	}
}

// refusePrimary answers as if the caller's hour were used up.
func (s *Service) refusePrimary(w http.ResponseWriter, r *route.Request) error {
	b, err := s.budgetOf(r.Context(), identity.From(r), clientaddr.Network(r.Request))
	if err != nil {
		return err
	}
	d, err := s.world.Limits.Peek(r.Context(), b.window, b.key)
	if err != nil {
		return err
	}
	d.Remaining, d.Used, d.RetryAfter = 0, d.Limit, max(0, d.Reset.Sub(r.Start))
	s.setLimitHeaders(w, d)
	return primaryError(b, d)
}

// refuseMoved names the address that a renamed repository has by its number.
func (s *Service) refuseMoved(_ http.ResponseWriter, r *route.Request) error {
	return errMoved(s.world.URL(r.Context()) + "/repositories/1/events")
}
