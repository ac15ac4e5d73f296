package apikeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/identity"
)

// Owner is who a key belongs to, and when it ends.
type Owner struct {
	User identity.User
	// KeyExpiresAt is zero for a key without an end.
	KeyExpiresAt time.Time
}

// Me tells the holder of a live key about it. A key that was replaced can be told its
// successor and nothing else.
func (s *Service) Me(ctx context.Context, key string) (Owner, error) {
	caller, err := s.identity.Verify(ctx, key, identity.Requirement{
		Service: Name, Kinds: []identity.Kind{identity.KindAPI},
	})
	if errors.Is(err, identity.ErrRevoked) {
		return Owner{}, errUnauthorized("the API key is not valid: it has been refreshed or revoked")
	}
	if err != nil {
		return Owner{}, fmt.Errorf("verify key: %w", err)
	}
	u, err := s.identity.User(ctx, caller.UserID)
	if err != nil {
		return Owner{}, fmt.Errorf("owner of the key: %w", err)
	}
	return Owner{User: u, KeyExpiresAt: caller.ExpiresAt}, nil
}
