package identity

import (
	"errors"
	"html/template"

	"stoa.dev/stoa/internal/platform/route"
)

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
