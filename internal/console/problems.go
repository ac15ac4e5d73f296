package console

import (
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"strings"

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
	// errPlain means that a password came over plain HTTP.
	errPlain = errors.New("console: a password over plain HTTP")
)

// problem is a message with where to go from there.
type problem struct {
	identity.Message
	Link, LinkText string
	// Leave is Message.Back, which was held against the rules for addresses
	// to return to; Host is what people read of it.
	Leave template.URL
	Host  string
}

// writeError shows every error as a page that says what can be done.
func (c *Console) writeError(w http.ResponseWriter, r *route.Request, err error) {
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(exceeded.RetryAfter.Seconds()))))
	}
	// The connection is all that can fail here, and then nobody is listening.
	_ = c.showProblem(w, r, c.problemOf(r, err))
}

func (c *Console) showProblem(w http.ResponseWriter, r *route.Request, p problem) error {
	if p.Back != "" {
		p.Leave, p.Host = template.URL(p.Back), identity.BackHost(p.Back) //nolint:gosec // registered addresses have harmless schemes
	}
	if p.Link == "" {
		p.Link, p.LinkText = "/console", "Go to the front page"
	}
	return c.render(w, r, p.Status, "message", view{Title: p.Title, Body: p})
}

// say shows a message of a service.
func (c *Console) say(m identity.Message) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		return c.showProblem(w, r, problem{Message: m})
	}
}

// problemOf finds the words for an error.
func (c *Console) problemOf(r *route.Request, err error) problem {
	var invalid *identity.InvalidError
	switch {
	case errors.Is(err, errCrossSite), errors.Is(err, identity.ErrForm):
		return problem{Message: identity.Message{
			Status: http.StatusForbidden, Title: "This form is out of date",
			Text: "It was made for another session or sent by another site. Nothing was changed. Open the page again and send it once more.",
		}}
	case errors.Is(err, errSignedOut):
		return problem{Message: identity.Message{
			Status: http.StatusUnauthorized, Title: "You are signed out",
			Text: "Your session ended before the form arrived. Nothing was changed.",
		}, Link: "/console/sign-in", LinkText: "Sign in"}
	case errors.Is(err, errPlain):
		return problem{Message: identity.Message{
			Status: http.StatusForbidden, Title: "Use HTTPS",
			Text: "Passwords are not taken over plain HTTP: others on the way can read them.",
		}, Link: "/docs/operations#tls", LinkText: "How to turn HTTPS on"}
	case errors.Is(err, page.ErrToken), errors.Is(err, page.ErrTokenExpired):
		return problem{Message: identity.Message{
			Status: http.StatusBadRequest, Title: "This request has expired",
			Text: "Go back to the application and start again from there.",
		}}
	case errors.As(err, &invalid):
		return problem{Message: identity.Message{Status: http.StatusBadRequest, Title: "That cannot be done", Text: upper(invalid.Error()) + "."}}
	case errors.Is(err, identity.ErrNotFound):
		return problem{Message: identity.Message{
			Status: http.StatusNotFound, Title: "Not found", Text: "It does not exist any more, or it is not yours.",
		}}
	}
	return commonProblem(r, err)
}

// groundProblem answers the errors that any request can meet.
func commonProblem(r *route.Request, err error) problem {
	var (
		method   *route.MethodError
		syntax   *wire.SyntaxError
		exceeded *limit.Exceeded
	)
	say := func(status int, title, text string) problem {
		return problem{Message: identity.Message{Status: status, Title: title, Text: text}}
	}
	switch {
	case errors.Is(err, route.ErrNoRoute):
		return say(http.StatusNotFound, "Not found", "There is no page at this address.")
	case errors.As(err, &method):
		return say(http.StatusMethodNotAllowed, "Not here", "This address takes "+strings.Join(method.Allow, ", ")+" only.")
	case errors.As(err, &exceeded):
		minutes := int(math.Ceil(exceeded.RetryAfter.Minutes()))
		return say(http.StatusTooManyRequests, "Too many tries",
			fmt.Sprintf("Wait %s and try again. Others on your network may have tried too.", minutesText(minutes)))
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody), errors.Is(err, wire.ErrMediaType):
		return say(http.StatusBadRequest, "That form cannot be read", "Open the page again and send the form from there.")
	case errors.Is(err, wire.ErrTooLarge):
		return say(http.StatusRequestEntityTooLarge, "That form is too large", "Shorten what you typed and send it again.")
	case errors.Is(err, route.ErrDeadline):
		return say(http.StatusGatewayTimeout, "That took too long", "Try again in a moment.")
	}
	return say(http.StatusInternalServerError, "Something went wrong",
		"It is our fault and was noted as "+r.ID+". Try again; if it stays, tell your administrator that number.")
}

func minutesText(n int) string {
	if n <= 1 {
		return "a minute"
	}
	return strconv.Itoa(n) + " minutes"
}

func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
