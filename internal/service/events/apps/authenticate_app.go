package apps

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/refusal"
)

const (
	// maxLife is how far ahead a JSON Web Token may expire.
	maxLife = 10 * time.Minute
	// clockSkew is how much a client's clock may differ.
	clockSkew = time.Minute
)

// claims are what a JSON Web Token of an app says.
type claims struct {
	// Issuer is the app's number, as number or text, or its client id.
	Issuer  any          `json:"iss"`
	Issued  *json.Number `json:"iat"`
	Expires *json.Number `json:"exp"`
}

// IsToken reports whether a bearer credential is a JSON Web Token: no token that is
// issued here has a full stop.
func IsToken(credential string) bool { return strings.Count(credential, ".") == 2 }

// Authenticate is the app that signed a JSON Web Token.
func (a *Apps) Authenticate(ctx context.Context, token string) (*identity.Caller, error) {
	var claimed claims
	if err := signing.Claims(token, &claimed); err != nil {
		return nil, undecodable()
	}
	app, err := a.issuer(ctx, claimed)
	if err != nil {
		return nil, err
	}
	keys, err := keysOf(ctx, a.host.DB, app.ID)
	if err != nil {
		return nil, err
	}
	for _, der := range keys {
		public, err := x509.ParsePKCS1PublicKey(der)
		if err != nil {
			return nil, fmt.Errorf("read a key of app %d: %w", app.ID, err)
		}
		if signing.VerifyWith(public, token, &claimed) != nil {
			continue
		}
		if err := claimed.check(a.host.Now()); err != nil {
			return nil, err
		}
		return a.host.Identity.AppCaller(ctx, app.ClientID)
	}
	return nil, undecodable()
}

func (a *Apps) issuer(ctx context.Context, c claims) (App, error) {
	var text string
	switch issuer := c.Issuer.(type) {
	case string:
		text = issuer
	case float64:
		text = fmt.Sprintf("%.0f", issuer)
	}
	if text == "" || len(text) > 64 {
		return App{}, refusal.Unauthorized("'Issuer' claim ('iss') must be the number or the client id of an app")
	}
	app, err := appBy(ctx, a.host.DB, text)
	if errors.Is(err, database.ErrNotFound) || err == nil && text == app.Slug {
		return App{}, refusal.Unauthorized("Integration not found")
	}
	return app, err
}

// check judges the times. Clients look for the names of the claims in the refusal, and
// correct their clock by the answer's date.
func (c claims) check(now time.Time) error {
	issued, okIssued := seconds(c.Issued)
	expires, okExpires := seconds(c.Expires)
	switch {
	case !okExpires || !expires.After(now):
		return refusal.Unauthorized("'Expiration time' claim ('exp') must be a numeric value representing the " +
			"future time at which the assertion expires")
	case expires.After(now.Add(maxLife + clockSkew)):
		return refusal.Unauthorized("'Expiration time' claim ('exp') is too far in the future")
	case !okIssued || issued.After(now.Add(clockSkew)):
		return refusal.Unauthorized("'Issued at' claim ('iat') must be an Integer representing the time that the " +
			"assertion was issued")
	}
	return nil
}

// seconds reads a numeric date (RFC 7519 section 2).
func seconds(n *json.Number) (time.Time, bool) {
	if n == nil {
		return time.Time{}, false
	}
	value, err := n.Float64()
	if err != nil || value < 0 || value > 1e11 {
		return time.Time{}, false
	}
	return time.Unix(int64(value), 0), true
}

func undecodable() error { return refusal.Unauthorized("A JSON web token could not be decoded") }
