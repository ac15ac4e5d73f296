package device

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/oauth"
)

// Token redeems a device code. The secret is required although devices cannot
// keep one: the contract says so.
func (s *Service) Token(ctx context.Context, c oauth.Client, deviceCode string) (grants.Tokens, error) {
	client, err := s.deviceClient(ctx, c)
	if err != nil {
		return grants.Tokens{}, err
	}
	if !client.HasSecret(c.Secret) {
		return grants.Tokens{}, oauth.BadClient(c, "Unauthorized")
	}
	if deviceCode == "" {
		return grants.Tokens{}, oauth.BadRequest("device_code is missing")
	}
	poll := grants.Poll{Service: Name, ClientID: client.ID, Code: deviceCode, Style: c.Style()}
	tokens, err := s.grants.PollDevice(ctx, poll, s.issue())
	return tokens, fromGrant(err)
}

// Refresh gives a new access token. The refresh token stays as it is: the contract
// lets it live until the user revokes access or it expires.
func (s *Service) Refresh(
	ctx context.Context, c oauth.Client, secret string, scopes []string,
) (grants.Tokens, error) {
	client, err := s.provenClient(ctx, c)
	if err != nil {
		return grants.Tokens{}, err
	}
	if secret == "" {
		return grants.Tokens{}, oauth.BadRequest("refresh_token is missing")
	}
	tokens, err := s.grants.Refresh(ctx, grants.RefreshRequest{
		Service: Name, ClientID: client.ID, Secret: secret, Scopes: scopes,
	}, s.issue())
	return tokens, fromRefresh(err)
}

// Revoke ends the token and everything from the same grant. Unknown tokens are
// no error (RFC 7009 section 2.2).
func (s *Service) Revoke(ctx context.Context, secret string) error {
	if secret == "" {
		return oauth.BadRequest("token is missing")
	}
	err := s.grants.Revoke(ctx, secret)
	if err != nil && !errors.Is(err, identity.ErrUnknown) {
		return fmt.Errorf("revoke: %w", err)
	}
	return nil
}

// issue describes the tokens of an approved flow. They open the services that own
// the granted scopes.
func (s *Service) issue() grants.Issue {
	return grants.Issue{
		ForScopes: true, AccessTTL: s.config.AccessTTL, RefreshTTL: s.config.RefreshTTL, Refresh: true,
	}
}
