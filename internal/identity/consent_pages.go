package identity

import (
	"errors"
	"html/template"
	"net/url"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
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

// Message is a page that says what happened and what the user can do.
type Message struct {
	Status int
	Title  string
	Text   string
	// ReturnURL is a redirect URI that an application registered. It is shown as a
	// link that the user may follow; nothing leads there by itself.
	ReturnURL string
}

// Pages are what services show in a browser. The console provides them; services
// know their type only, so that no service imports the console and the console
// imports no service.
type Pages struct {
	// Consent signs the user in when needed, asks, and sends the browser back
	// to the application.
	Consent func(Authorization) route.Handler
	// Message shows a message.
	Message func(Message) route.Handler
	// Page shows a page of a service inside the console's frame.
	Page func(PageFunc) route.Handler
	// User is who is signed in; nil without a session. It is for pages that a
	// service frames itself.
	User func(*route.Request) (*User, error)
}

// Page is a page of a service's own making.
type Page struct {
	Title string
	// HTML is the content of the page, escaped by the service.
	HTML template.HTML
	// ExternalImages lets images from anywhere load; nothing else may.
	ExternalImages bool
	// Indexed pages may be found by search engines.
	Indexed bool
}

// PageFunc makes a page for the signed-in user; nil means that there is none.
// ErrSignIn sends the browser to sign in first and then back.
type PageFunc func(r *route.Request, u *User) (Page, error)

// ErrSignIn means that a page is only for those who are signed in.
var ErrSignIn = errors.New("identity: sign-in is required")

// ErrNoPages means that no console was built.
var ErrNoPages = errors.New("identity: no pages were provided")

// ProvidePages sets the pages. It is called once, before requests.
func (i *Identity) ProvidePages(p Pages) { i.pages.Store(&p) }

// Consent is the handler that asks the user about an authorization.
func (i *Identity) Consent(a Authorization) (route.Handler, error) {
	p := i.pages.Load()
	if p == nil {
		return nil, ErrNoPages
	}
	return p.Consent(a), nil
}

// ShowMessage is the handler that shows a message.
func (i *Identity) ShowMessage(m Message) (route.Handler, error) {
	p := i.pages.Load()
	if p == nil {
		return nil, ErrNoPages
	}
	return p.Message(m), nil
}

// ShowPage is the handler that shows a page of a service.
func (i *Identity) ShowPage(m PageFunc) (route.Handler, error) {
	p := i.pages.Load()
	if p == nil || p.Page == nil {
		return nil, ErrNoPages
	}
	return p.Page(m), nil
}

// SignedInUser is the user of a browser; nil without a session, and where there are
// no pages to sign in with.
func (i *Identity) SignedInUser(r *route.Request) (*User, error) {
	p := i.pages.Load()
	if p == nil || p.User == nil {
		return nil, nil
	}
	return p.User(r)
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
