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
// It travels through the browser sealed, so nobody in between can change it.
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
	// TeamID makes the outcome a team access token, which only members of the
	// team can hand out.
	TeamID int64 `json:"m,omitempty"`
	// CodeTTL and CodeFormat are the contract's.
	CodeTTL    time.Duration `json:"l"`
	CodeFormat Format        `json:"f"`
}

// Back is the address that takes the browser back to the application with an
// answer and the state. The registered address may already have a query.
func (a Authorization) RedirectWith(answer url.Values) string {
	if a.HasState {
		answer.Set("state", a.State)
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

// BackHost is what people are told about where an address to return to leads.
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

// Message is a page that tells people what happened and what they can do.
type Message struct {
	Status int
	Title  string
	Text   string
	// Back is an address that an application registered. It is shown as a link
	// that people may follow; nothing leads there by itself.
	ReturnURL string
}

// Pages are the faces that services show to people. The console provides
// them; services know their shape only, so that no service imports the console
// and the console imports no service.
type Pages struct {
	// Consent signs the user in when needed, asks, and sends the browser back
	// to the application.
	Consent func(Authorization) route.Handler
	// Say shows a message.
	Message func(Message) route.Handler
	// Show shows a page that a service makes for whoever looks, inside the
	// house's frame.
	Page func(PageFunc) route.Handler
	// Visitor finds out who is signed in; nil for strangers. It is for pages
	// that a service frames itself.
	User func(*route.Request) (*User, error)
}

// Page is a page of a service's own making.
type Page struct {
	Title string
	// Main is what the page says: HTML that the service vouches for.
	HTML template.HTML
	// Pictures lets pictures from anywhere load; nothing else may.
	ExternalImages bool
	// Listed pages may be found by search engines.
	Indexed bool
}

// MakePage makes a page for the signed-in user; nil means that no user is.
// ErrSignIn sends strangers to sign in first and then back.
type PageFunc func(r *route.Request, u *User) (Page, error)

// ErrSignIn means that a page is only for those who are signed in.
var ErrSignIn = errors.New("identity: sign in first")

// ErrNoPages means that nothing that could talk to people was built.
var ErrNoPages = errors.New("identity: there are no pages to show")

// ProvidePages hands over the faces. It is called once, before requests.
func (i *Identity) ProvidePages(p Pages) { i.pages.Store(&p) }

// Consent is the handler that asks the user about an authorization.
func (i *Identity) Consent(a Authorization) (route.Handler, error) {
	p := i.pages.Load()
	if p == nil {
		return nil, ErrNoPages
	}
	return p.Consent(a), nil
}

// Say is the handler that shows a message.
func (i *Identity) ShowMessage(m Message) (route.Handler, error) {
	p := i.pages.Load()
	if p == nil {
		return nil, ErrNoPages
	}
	return p.Message(m), nil
}

// Show is the handler that shows a page of a service.
func (i *Identity) ShowPage(m PageFunc) (route.Handler, error) {
	p := i.pages.Load()
	if p == nil || p.Page == nil {
		return nil, ErrNoPages
	}
	return p.Page(m), nil
}

// Visitor is who looks at a page in a browser; nil for strangers, and where
// nobody can sign in.
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
