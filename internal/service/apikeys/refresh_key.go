package apikeys

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// Refresh replaces the caller's key by a new one and returns its secret. The same
// request with the replaced key returns the same new key for a while.
func (s *Service) Refresh(ctx context.Context, caller *identity.Caller, old, idempotencyKey string, v Validity) (
	string, error,
) {
	if len(idempotencyKey) > maxIdempotencyKey || !utf8.ValidString(idempotencyKey) {
		return "", errInvalid("Idempotency-Key must be text of at most %d bytes", maxIdempotencyKey)
	}
	days, err := s.days(v)
	if err != nil {
		return "", err
	}
	if err := s.mayRefresh(ctx, caller); err != nil {
		return "", err
	}
	_, secret, err := s.identity.ReplaceKey(ctx, caller.TokenID, identity.KeyRenewal{
		Days: days, Old: old, Grace: s.grace(idempotencyKey), Request: fmt.Sprintf("%d days %s", days, idempotencyKey),
	})
	if errors.Is(err, identity.ErrKeyGone) {
		return "", errUnauthorized("the API key is not valid: it has already been refreshed by another request or revoked")
	}
	if err != nil {
		return "", fmt.Errorf("replace key: %w", err)
	}
	return secret, nil
}

// maxIdempotencyKey bounds what callers name a request.
const maxIdempotencyKey = 255

// grace is how long the new key is told again. A name that only the caller knows
// makes a longer time safe: a copy of the old key does not have it.
func (s *Service) grace(idempotencyKey string) time.Duration {
	if idempotencyKey != "" {
		return s.config.IdempotencyTTL
	}
	return s.config.RefreshGrace
}

// authenticate takes a live key, and one that was refreshed while its new key may
// be told again: refreshing is all that a key can do here.
func (s *Service) authenticate(ctx context.Context, c credential.Credential) (route.Caller, error) {
	caller, err := s.identity.Verify(ctx, c.Value, identity.Requirement{
		Service: Name, Kinds: []identity.Kind{identity.KindAPI},
	})
	if errors.Is(err, identity.ErrRevoked) {
		caller, err = s.identity.ReplacedKey(ctx, Name, c.Value)
	}
	if err != nil {
		return nil, identity.CredentialError(err)
	}
	return caller, nil
}

// days applies the rules of L-N1; zero means never.
func (s *Service) days(v Validity) (int, error) {
	switch {
	case v.Days != nil && *v.Days < 1:
		return 0, errViolations([]Violation{daysViolation("min", "apiKeyDaysValid must not be less than 1")})
	case v.Days != nil && *v.Days > s.config.MaxDays:
		return 0, errViolations([]Violation{daysViolation("max",
			fmt.Sprintf("apiKeyDaysValid must not be greater than %d", s.config.MaxDays))})
	case v.Days != nil && v.Never:
		return 0, errInvalid("apiKeyDaysValid and apiKeyNeverExpires cannot be set together; send one of them or none")
	case v.Never:
		return 0, nil
	case v.Days != nil:
		return *v.Days, nil
	}
	return s.config.DefaultDays, nil
}

// mayRefresh checks that the caller manages the team that the key belongs to.
func (s *Service) mayRefresh(ctx context.Context, caller *identity.Caller) error {
	if caller.TeamID == 0 {
		return nil
	}
	refused := errUnauthorized("a team's API key can only be refreshed by an owner or administrator of the team")
	member, err := s.identity.TeamMember(ctx, caller.TeamID, caller.UserID)
	var missing *identity.NotFoundError
	if errors.As(err, &missing) {
		return refused
	}
	if err != nil {
		return fmt.Errorf("team of the key: %w", err)
	}
	if !member.Role.Manages() {
		return refused
	}
	return nil
}

func daysViolation(rule, text string) Violation {
	return Violation{Property: "apiKeyDaysValid", Constraints: []Constraint{{Rule: rule, Text: text}}}
}
