package console

import (
	"net/http"

	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// tryPath is where the API reference asks who reads it, and sends its forms as that reader.
const tryPath = "/console/try"

// reader is who reads the API reference, empty for an anonymous one. Form is the token that its forms carry.
type reader struct {
	User string `json:"user,omitempty"`
	Form string `json:"form,omitempty"`
}

// handleReader tells a page of the same origin who reads it. Others cannot read the answer.
func (c *Console) handleReader(w http.ResponseWriter, r *route.Request) error {
	v, err := c.viewer(r)
	if err != nil && !isAnonymous(err) {
		return err
	}
	var out reader
	if err == nil {
		out = reader{User: v.user.Name, Form: identity.FormToken(v.secret)}
	}
	return writeTried(w, r, out)
}

// handleTry sends a form of the API reference. The session stays with the console: the service gets a credential
// that no answer contains.
func (c *Console) handleTry(w http.ResponseWriter, r *route.Request, v viewer) error {
	out, err := c.resources.Try(resourcepages.Visit{Request: r, User: v.user, Values: v.form})
	if err != nil {
		return err
	}
	return writeTried(w, r, out)
}

func writeTried(w http.ResponseWriter, r *route.Request, v any) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteJSON(w, r.Request, http.StatusOK, v)
}
