package apikeys

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
)

// Refresh replaces the caller's key by a new one and returns its secret.
func (s *Service) Refresh(ctx context.Context, caller *identity.Caller, v Validity) (string, error) {
	days, err := s.days(v)
	if err != nil {
		return "", err
	}
	if err := s.mayRefresh(ctx, caller); err != nil {
		return "", err
	}
	_, secret, err := s.identity.ReplaceKey(ctx, caller.TokenID, identity.KeyRenewal{Days: days})
	if errors.Is(err, identity.ErrKeyGone) {
		return "", errUnauthorized("the API key is not valid: it has already been refreshed or revoked")
	}
	if err != nil {
		return "", fmt.Errorf("replace key: %w", err)
	}
	return secret, nil
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
