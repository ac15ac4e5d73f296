package web

import (
	"errors"
	"net/http"
	"net/url"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Classify says which status and message an error of the API has.
type Classify func(w http.ResponseWriter, r *route.Request, err error) (status int, text string)

// problem is a page that says what is wrong and what can be done.
type problem struct {
	Text   string
	SignIn string
}

// writeError is the envelope of the pages.
func (p *Pages) writeError(w http.ResponseWriter, r *route.Request, err error, classify Classify) {
	var exceeded *limit.Exceeded
	status, title := http.StatusInternalServerError, "Something went wrong"
	body := problem{Text: "The log names the cause under request id " + r.ID + "."}
	switch {
	case errors.Is(err, route.ErrNoRoute):
		status, title, body.Text = http.StatusNotFound, "Not found", "There is no such page."
	case errors.As(err, &exceeded):
		status, title, body.Text = http.StatusTooManyRequests, "Too many requests", "Wait a moment and try again."
	case refusal.Has(err, refusal.Login):
		status, title, body.Text = http.StatusUnauthorized, "Sign in to see this", "It may be private, or it may "+
			"not exist."
		body.SignIn = "/console/sign-in?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
	default:
		code, text := classify(w, r, err)
		if code >= http.StatusInternalServerError {
			break
		}
		if refusal.Has(err) {
			text += "."
		}
		status, title, body.Text = code, http.StatusText(code), text
	}
	// The connection is all that can fail here, and then the client is gone.
	_ = p.show(w, r, status, "problem", page{Title: title, Body: body})
}
