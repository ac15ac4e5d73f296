package events

import (
	"context"
	"net/http"
	"os"
	"regexp"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// WriteError is the envelope, for its table test.
func (s *Service) WriteError(w http.ResponseWriter, r *route.Request, err error) {
	s.writeError(w, r, err)
}

// Errors are examples of every refusal of the service's own.
func Errors() map[string]error {
	return map[string]error{
		"not found":         errNotFound(),
		"content too large": tooLargeToShow(forge.ErrTooLarge),
		"permission":        errMissingPermission("metadata=read"),
		"empty":             errEmptyRepository(),
		"unauthorized":      refusal.Unauthorized("A JSON web token could not be decoded"),
		"invalid":           errInvalidField("payload", "payload must be an object"),
		"pagination":        errPagination(), "version": errVersion("1999-01-01"), "retired": errRetired("2022-11-28"),
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

// Types are the names of all types, as the source of their schemas has them.
func Types() (all []Type) {
	source, err := os.ReadFile("payload/check_payload.go")
	if err != nil {
		panic(err)
	}
	for _, found := range regexp.MustCompile(`(?m)^\t\t"(\w+Event)": `).FindAllSubmatch(source, -1) {
		all = append(all, Type(found[1]))
	}
	return all
}

// Host is what the service does for its operations.
func (s *Service) Host() operation.Host { return s.host() }

// Discussions are those of all repositories.
func (s *Service) Discussions() *discussions.Discussions { return s.discussions }
