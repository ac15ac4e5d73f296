package console

import (
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

var (
	// errCrossSite means that another site sent the form.
	errCrossSite = errors.New("console: the form comes from another site")
	// errSignedOut means that the session ended while the form was filled in.
	errSignedOut = errors.New("console: signed out")
	// errSignInOver means that the provider's answer belongs to no sign-in of this
	// browser, or to one that is over.
	errSignInOver = errors.New("console: the answer belongs to no sign-in of this browser")
	// errPlainHTTP means that a password came over plain HTTP.
	errPlainHTTP = errors.New("console: a password over plain HTTP")
)

// errorPage is a message and a link that leads on from it.
type errorPage struct {
	identity.Message
	Link, LinkText string
	// LeaveURL is Message.ReturnURL, which was checked against the rules for
	// redirect URIs; LeaveHost is what the page shows of it.
	LeaveURL  template.URL
	LeaveHost string
}

// writeError shows every error as a page that says what can be done.
func (c *Console) writeError(w http.ResponseWriter, r *route.Request, err error) {
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", wire.WholeSeconds(exceeded.RetryAfter))
	}
	// Only writing to the connection can fail here, and then the client is gone.
	_ = c.showErrorPage(w, r, c.errorPageOf(r, err))
}

func (c *Console) showErrorPage(w http.ResponseWriter, r *route.Request, p errorPage) error {
	if p.ReturnURL != "" {
		p.LeaveURL = template.URL(p.ReturnURL) //nolint:gosec // registered redirect URIs have harmless schemes
		p.LeaveHost = identity.RedirectHost(p.ReturnURL)
	}
	if p.Link == "" {
		p.Link, p.LinkText = "/console", "Go to the console"
	}
	shown := view{Title: p.Title, Body: p}
	if p.Status == http.StatusNotFound {
		// Who is signed in still is, and goes on by the menu.
		if v, err := c.viewer(r); err == nil {
			shown = v.view(p.Title, "not found", p)
		}
	}
	return c.render(w, r, p.Status, "message", shown)
}

// messageHandler shows a message of a service.
func (c *Console) messageHandler(m identity.Message) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		return c.showErrorPage(w, r, errorPage{Message: m})
	}
}

// errorPageOf is the page for an error.
func (c *Console) errorPageOf(r *route.Request, err error) errorPage {
	var invalid *identity.InvalidError
	switch {
	case errors.Is(err, errCrossSite), errors.Is(err, identity.ErrForm):
		return errorPage{Message: identity.Message{
			Status: http.StatusForbidden, Title: "Form expired",
			Text: "It belongs to another session or was sent by another site. Nothing was changed. " +
				"Reload the page and send the form again.",
		}}
	case errors.Is(err, errSignedOut):
		return errorPage{Message: identity.Message{
			Status: http.StatusUnauthorized, Title: "Signed out",
			Text: "Your session ended before the form arrived. Nothing was changed.",
		}, Link: "/console/sign-in", LinkText: "Sign in"}
	case errors.Is(err, errSignInOver):
		return errorPage{Message: identity.Message{
			Status: http.StatusBadRequest, Title: "Sign-in expired",
			Text: "This sign-in was begun in another browser, took too long or is over.",
		}, Link: "/console/sign-in", LinkText: "Sign in"}
	case errors.Is(err, errPlainHTTP):
		return errorPage{Message: identity.Message{
			Status: http.StatusForbidden, Title: "Use HTTPS",
			Text: "Passwords are not accepted over plain HTTP: others on the network can read them.",
		}, Link: "/docs/operations#tls", LinkText: "Enable HTTPS"}
	case errors.Is(err, page.ErrToken), errors.Is(err, page.ErrTokenExpired):
		return errorPage{Message: identity.Message{
			Status: http.StatusBadRequest, Title: "Request expired",
			Text: "Go back to the application and start again from there.",
		}}
	case errors.Is(err, requestpages.ErrGone):
		return errorPage{Message: identity.Message{
			Status: http.StatusNotFound, Title: "Not found",
			Text: "There is no such request, or it is no longer kept: newer ones take the place of the oldest, " +
				"and a server begins without any.",
		}, Link: "/console/requests", LinkText: "All requests"}
	case errors.As(err, &invalid):
		return errorPage{Message: identity.Message{
			Status: http.StatusBadRequest, Title: "Invalid request", Text: capitalize(invalid.Error()) + ".",
		}}
	case errors.Is(err, identity.ErrNotFound):
		return errorPage{Message: identity.Message{
			Status: http.StatusNotFound, Title: "Not found",
			Text: "It does not exist, or it belongs to another account.",
		}}
	}
	return commonErrorPage(r, err)
}

// commonErrorPage is the page for the errors that any request can meet.
func commonErrorPage(r *route.Request, err error) errorPage {
	var (
		method   *route.MethodError
		syntax   *wire.SyntaxError
		exceeded *limit.Exceeded
	)
	page := func(status int, title, text string) errorPage {
		return errorPage{Message: identity.Message{Status: status, Title: title, Text: text}}
	}
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return page(http.StatusNotFound, "Not found", "There is no page at this address, or it is one for administrators.")
	case errors.As(err, &method):
		return page(http.StatusMethodNotAllowed, "Method not allowed",
			"This address accepts "+strings.Join(method.Allow, ", ")+" only.")
	case errors.As(err, &exceeded):
		minutes := int(math.Ceil(exceeded.RetryAfter.Minutes()))
		return page(http.StatusTooManyRequests, "Too many attempts",
			fmt.Sprintf("Wait %s and try again. Attempts of others on your network count too.", minutesText(minutes)))
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody), errors.Is(err, wire.ErrMediaType):
		return page(http.StatusBadRequest, "Malformed form", "Reload the page and send the form again.")
	case errors.Is(err, wire.ErrTooLarge):
		return page(http.StatusRequestEntityTooLarge, "Form too large", "Shorten what you typed and send it again.")
	case errors.Is(err, route.ErrUnavailable):
		return page(http.StatusServiceUnavailable, "Not available", "Try again in a moment.")
	case errors.Is(err, route.ErrDeadline):
		return page(http.StatusGatewayTimeout, "Request timed out", "Try again in a moment.")
	}
	return page(http.StatusInternalServerError, "Internal server error",
		"The error was logged with request ID "+r.ID+". Try again, or give the ID to your administrator.")
}

func minutesText(n int) string {
	if n <= 1 {
		return "a minute"
	}
	return strconv.Itoa(n) + " minutes"
}

func capitalize(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
