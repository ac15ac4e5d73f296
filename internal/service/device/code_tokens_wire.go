package device

import (
	"context"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity/grants"
)

// codeJSON names the page twice: clients of the public service read the first
// form, clients of RFC 8628 the second.
type codeJSON struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURL string `json:"verification_url"`
	VerificationURI string `json:"verification_uri"`
	ExpiresIn       int64  `json:"expires_in"`
	Interval        int64  `json:"interval"`
}

func codeToWire(c Code) codeJSON {
	return codeJSON{
		DeviceCode: c.DeviceCode, UserCode: c.UserCode,
		VerificationURL: c.VerificationURL, VerificationURI: c.VerificationURL,
		ExpiresIn: int64(c.Life / time.Second), Interval: int64(c.Interval / time.Second),
	}
}

type tokensJSON struct {
	AccessToken           string `json:"access_token"`
	ExpiresIn             int64  `json:"expires_in"`
	RefreshToken          string `json:"refresh_token"`
	RefreshTokenExpiresIn int64  `json:"refresh_token_expires_in,omitempty"`
	Scope                 string `json:"scope"`
	TokenType             string `json:"token_type"`
	IDToken               string `json:"id_token,omitempty"`
}

func (s *Service) tokensToWire(ctx context.Context, t grants.Tokens, idToken string) tokensJSON {
	out := tokensJSON{
		AccessToken: t.Access, ExpiresIn: int64(t.Token.ExpiresAt.Sub(t.Token.CreatedAt) / time.Second),
		RefreshToken: t.Refresh, Scope: strings.Join(s.identity.Spelled(ctx, t.Token), " "), TokenType: "Bearer",
		IDToken: idToken,
	}
	if !t.RefreshToken.ExpiresAt.IsZero() {
		out.RefreshTokenExpiresIn = int64(t.RefreshToken.ExpiresAt.Sub(t.Token.CreatedAt) / time.Second)
	}
	return out
}
