package events

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/payload"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// WriteError is the envelope, for its table test.
func (s *Service) WriteError(w http.ResponseWriter, r *route.Request, err error) {
	s.writeError(w, r, err)
}

// Errors are examples of every refusal of the service's own.
func Errors() map[string]error {
	return map[string]error{
		"not found":    errNotFound(),
		"permission":   errMissingPermission("metadata=read"),
		"empty":        errEmptyRepository(),
		"unauthorized": refusal.Unauthorized("A JSON web token could not be decoded"),
		"invalid":      errInvalidField("payload", "payload must be an object"),
		"pagination":   errPagination(), "version": errVersion("1999-01-01"), "retired": errRetired("2022-11-28"),
		"user agent":    &Error{Code: refusal.CodeAgent, Message: "no agent"},
		"primary limit": &Error{Code: refusal.CodePrimary, Message: "API rate limit exceeded for user ID 1."},
		"secondary limit": &Error{
			Code: refusal.CodeSecondary, Message: "You have exceeded a secondary rate limit.", RetryAfter: 1500000000,
		},
	}
}

// OwnedOrg is ownedOrg.
func (s *Service) OwnedOrg(ctx context.Context, userID int64, name string) (forge.Owner, error) {
	return s.access.OwnedOrg(ctx, userID, name)
}

// CheckPayload is checkPayload.
func CheckPayload(kind Type, raw []byte) error { return checkPayload(kind, raw) }

// Types are the names of all types.
func Types() []Type {
	var all []Type
	for _, kind := range payload.Types() {
		all = append(all, Type(kind))
	}
	return all
}
