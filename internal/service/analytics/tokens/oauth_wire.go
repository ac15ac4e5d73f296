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
		ExpiresIn:       seconds(f.config.CodeTTL), Interval: seconds(f.config.Interval),
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
		ExpiresIn: seconds(t.Token.ExpiresAt.Sub(t.Token.CreatedAt)), RefreshToken: t.Refresh,
	}
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
