package oauth

import (
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Client is how an application proves itself.
type Client struct {
	ID, Secret string
	// Basic tells that the credentials came in the Authorization header.
	Basic bool
}

// Style tells the two ways of sending credentials apart.
func (c Client) Style() string {
	if c.Basic {
		return "basic"
	}
	return "post"
}

// ReadForm takes an empty body as an empty form and refuses repeated
// parameters (RFC 6749 section 3.2).
func ReadForm(r *route.Request) (url.Values, error) {
	if r.ContentLength == 0 {
		return url.Values{}, nil
	}
	form, err := wire.ReadForm(r.Request)
	if err != nil {
		return nil, err
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, BadRequest(name + " is given more than once")
		}
	}
	return form, nil
}

// ReadClient takes the credentials from the Authorization header or the form.
func ReadClient(r *route.Request, form url.Values) Client {
	if id, secret, ok := r.BasicAuth(); ok {
		// The header carries form-encoded values (RFC 6749 section 2.3.1).
		return Client{ID: unescape(id), Secret: unescape(secret), Basic: true}
	}
	return Client{ID: form.Get("client_id"), Secret: form.Get("client_secret")}
}

// unescape keeps to text that can be looked up, as forms do: what else the header
// may carry, raw or escaped, is in no client's id or secret.
func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		text = plain
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\ufffd"), "\ufffd")
}

// NoStore keeps tokens out of caches (RFC 6749 section 5.1).
func NoStore(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
}
