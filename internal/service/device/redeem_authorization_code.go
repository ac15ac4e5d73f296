package device

import (
	"context"

	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/oauth"
)

// RedeemCode exchanges an authorization code for tokens.
func (s *Service) RedeemCode(
	ctx context.Context, c oauth.Client, code, redirectURI, verifier string,
) (grants.Tokens, error) {
	client, err := s.provenClient(ctx, c)
	if err != nil {
		return grants.Tokens{}, err
	}
	if code == "" {
		return grants.Tokens{}, oauth.BadRequest("code is missing")
	}
	if redirectURI == "" {
		return grants.Tokens{}, oauth.BadRequest("redirect_uri is missing")
	}
	tokens, err := s.grants.RedeemCode(ctx, grants.Redemption{
		Service: Name, ClientID: client.ID, Code: code, RedirectURI: &redirectURI, Verifier: verifier,
	}, s.issue())
	return tokens, fromGrant(err)
}
