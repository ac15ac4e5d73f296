package articles

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/identity"
)

// AuthenticatedUser is the caller as the contract shows it.
type AuthenticatedUser struct {
	identity.User
	UploadLimit, UploadRemaining int64
}

// AuthenticatedUser finds the person behind a token.
func (s *Service) AuthenticatedUser(ctx context.Context, caller *identity.Caller) (AuthenticatedUser, error) {
	u, err := s.people.User(ctx, caller.UserID)
	if err != nil {
		return AuthenticatedUser{}, fmt.Errorf("find user: %w", err)
	}
	return AuthenticatedUser{
		User: u, UploadLimit: s.config.MonthlyUploadBytes, UploadRemaining: s.config.MonthlyUploadBytes,
	}, nil
}
