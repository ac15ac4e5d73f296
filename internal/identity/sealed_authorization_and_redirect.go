package identity

import (
	"net/url"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/page"
)

// Authorization is what an application asks a user for in the browser. The
// service has checked it against its contract; what is missing is the user.
// It travels through the browser sealed, so it cannot be changed on the way.
type Authorization struct {
	Service     string   `json:"s"`
	ClientID    string   `json:"c"`
	RedirectURI string   `json:"r"`
	Scopes      []string `json:"p,omitempty"`
	// State goes back to the application unchanged; HasState tells an empty one
	// from none.
	State    string `json:"t,omitempty"`
	HasState bool   `json:"h,omitempty"`
	// Challenge is the S256 proof-key challenge, empty for none.
	Challenge string `json:"k,omitempty"`
	// Nonce goes into the id token. Issuer, where there is one, tells the application
	// who answers (RFC 9207).
	Nonce  string `json:"n,omitempty"`
	Issuer string `json:"i,omitempty"`
	// SignInAfter asks users who signed in before that time to sign in again.
	SignInAfter time.Time `json:"a,omitzero"`
	// TeamID makes the outcome a team access token, which only members of the
	// team can hand out.
	TeamID int64 `json:"m,omitempty"`
	// CodeTTL and CodeFormat are the contract's.
	CodeTTL    time.Duration `json:"l"`
	CodeFormat Format        `json:"f"`
}

// RedirectWith is the address that takes the browser back to the application with an
// answer and the state. The registered address may already have a query.
func (a Authorization) RedirectWith(answer url.Values) string {
	if a.HasState {
		answer.Set("state", a.State)
	}
	if a.Issuer != "" {
		answer.Set("iss", a.Issuer)
	}
	separator := "?"
	if strings.Contains(a.RedirectURI, "?") {
		separator = "&"
		if last := a.RedirectURI[len(a.RedirectURI)-1]; last == '?' || last == '&' {
			separator = ""
		}
	}
	return a.RedirectURI + separator + answer.Encode()
}

// RedirectHost is how pages name the place that a redirect URI leads to.
func RedirectHost(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil:
		return ""
	case u.Host != "":
		return u.Host
	case u.Scheme != "":
		return "the application " + u.Scheme
	}
	return "this server"
}

// sealedFor keeps sealed authorizations apart from everything else that is
// sealed with the same root.
const sealedFor = "identity authorization"

// SealAuthorization makes the text that carries an authorization through the
// browser until it expires.
func (i *Identity) SealAuthorization(a Authorization, ttl time.Duration) string {
	return i.sealer().SealUntil(a, sealedFor, i.now().Add(ttl))
}

// OpenAuthorization reads a sealed authorization. The errors are
// page.ErrToken and page.ErrTokenExpired.
func (i *Identity) OpenAuthorization(sealed string) (Authorization, error) {
	var a Authorization
	err := i.sealer().OpenAt(sealed, sealedFor, i.now(), &a)
	return a, err
}

func (i *Identity) sealer() *page.Sealer { return page.NewSealer(i.o.SealKey) }
