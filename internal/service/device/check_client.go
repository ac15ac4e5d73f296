package device

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/oauth"
)

// anyClient finds the client, whatever its type.
func (s *Service) anyClient(ctx context.Context, c oauth.Client) (identity.Client, error) {
	client, err := s.identity.Client(ctx, c.ID)
	if errors.Is(err, identity.ErrNotFound) {
		return identity.Client{}, oauth.BadClient(c, "The OAuth client was not found.")
	}
	if err != nil {
		return identity.Client{}, fmt.Errorf("find client: %w", err)
	}
	return client, nil
}

// provenClient finds the client and checks its secret. Those that cannot keep one may
// leave it out: their proof is the refresh token, or the proof key of their code.
func (s *Service) provenClient(ctx context.Context, c oauth.Client) (identity.Client, error) {
	client, err := s.anyClient(ctx, c)
	if err != nil {
		return identity.Client{}, err
	}
	if c.Secret == "" && client.Type == identity.ClientDevice {
		return client, nil
	}
	if !client.HasSecret(c.Secret) {
		return identity.Client{}, oauth.BadClient(c, "Unauthorized")
	}
	return client, nil
}

// deviceClient finds the client and checks that it is of the right type.
func (s *Service) deviceClient(ctx context.Context, c oauth.Client) (identity.Client, error) {
	client, err := s.anyClient(ctx, c)
	if err != nil {
		return identity.Client{}, err
	}
	if client.Type != identity.ClientDevice {
		return identity.Client{}, oauth.BadClient(c, "The client is not of the type for devices with limited input.")
	}
	return client, nil
}
