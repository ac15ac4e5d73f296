package device

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/oauth"
)

// RequestCode starts a flow for a client of the input-constrained type. The
// network is the one that the request came from.
func (s *Service) RequestCode(ctx context.Context, network, clientID string, scopes []string) (Code, error) {
	if clientID == "" {
		return Code{}, oauth.BadRequest("client_id is missing")
	}
	if len(scopes) == 0 {
		return Code{}, oauth.BadRequest("scope is missing")
	}
	client, err := s.deviceClient(ctx, oauth.Client{ID: clientID})
	if err != nil {
		return Code{}, err
	}
	if _, err := s.world.Limits.TakeAll(ctx, s.codeCharges(client.ID, network)); err != nil {
		return Code{}, err
	}
	start, err := s.grants.StartDevice(ctx, grants.DeviceRequest{
		Service: Name, ClientID: client.ID, Scopes: scopes, TTL: s.config.CodeTTL, Interval: s.config.Interval,
	})
	if errors.Is(err, identity.ErrInvalid) {
		return Code{}, &oauth.Error{Code: oauth.InvalidScope, Description: err.Error()}
	}
	if err != nil {
		return Code{}, fmt.Errorf("start device flow: %w", err)
	}
	return Code{
		DeviceStart: start, VerificationURL: s.verificationURL(ctx), Life: s.config.CodeTTL, Interval: s.config.Interval,
	}, nil
}

// verificationURL is the page's address. Where the one that was asked is too long
// it names the world's own port.
func (s *Service) verificationURL(ctx context.Context) string {
	const page = "/device"
	if s.config.VerificationURL != "" {
		return s.config.VerificationURL
	}
	if asked := s.world.URL(ctx) + page; len(asked) <= maxURL {
		return asked
	}
	return s.world.OwnURL(ctx) + page
}
