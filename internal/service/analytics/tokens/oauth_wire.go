package tokens

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/identity/grants"
)

type deviceCodeJSON struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURI string `json:"verification_uri"`
	ExpiresIn       int64  `json:"expires_in"`
	Interval        int64  `json:"interval"`
}

func (f *Flows) deviceCodeToWire(ctx context.Context, start grants.DeviceStart) deviceCodeJSON {
	return deviceCodeJSON{
		DeviceCode: start.DeviceCode, UserCode: start.UserCode,
		VerificationURI: f.world.URL(ctx) + "/dag/auth/verify_code?code=" + start.UserCode,
		ExpiresIn:       int64(f.config.CodeTTL / time.Second), Interval: int64(f.config.Interval / time.Second),
	}
}

type tokensJSON struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
}

func tokensToWire(t grants.Tokens) tokensJSON {
	return tokensJSON{
		AccessToken: t.Access, TokenType: "Bearer",
		ExpiresIn: int64(t.Token.ExpiresAt.Sub(t.Token.CreatedAt) / time.Second), RefreshToken: t.Refresh,
	}
}
