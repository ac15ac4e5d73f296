package analytics

import (
	"time"

	"stoa.dev/stoa/internal/identity"
)

type deviceCodeJSON struct {
	DeviceCode      string `json:"device_code"`
	UserCode        string `json:"user_code"`
	VerificationURI string `json:"verification_uri"`
	ExpiresIn       int64  `json:"expires_in"`
	Interval        int64  `json:"interval"`
}

func deviceCodeToWire(c DeviceCode) deviceCodeJSON {
	return deviceCodeJSON{
		DeviceCode: c.DeviceCode, UserCode: c.UserCode, VerificationURI: c.VerificationURI,
		ExpiresIn: seconds(c.Life), Interval: seconds(c.Interval),
	}
}

type tokensJSON struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
}

func tokensToWire(t identity.Tokens) tokensJSON {
	return tokensJSON{
		AccessToken: t.Access, TokenType: "Bearer",
		ExpiresIn: seconds(t.Token.ExpiresAt.Sub(t.Token.CreatedAt)), RefreshToken: t.Refresh,
	}
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
