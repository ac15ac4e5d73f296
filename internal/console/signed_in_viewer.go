package console

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/actor"
	"stoa.dev/stoa/internal/platform/route/address"
)

// viewer is the signed-in user of a page.
type viewer struct {
	user    identity.User
	session identity.Session
	// secret is the cookie's; forms are bound to it.
	secret string
	// form is what was sent, once its token is known to be the session's.
	form url.Values
	// files came with the form.
	files map[string][]byte
}

// actor is who does what a form asks for.
func (v viewer) actor(r *route.Request) audit.Actor {
	a := actor.Of(r.Request, r.ID, nil)
	a.Name, a.Credential = v.user.Name, "session "+strconv.FormatInt(v.session.ID, 10)
	return a
}

// handler is a page for a user who is signed in.
type handler func(w http.ResponseWriter, r *route.Request, v viewer) error

// requireSignIn redirects anonymous callers to sign in, and back from there.
func (c *Console) requireSignIn(h handler) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		v, err := c.viewer(r)
		if isAnonymous(err) {
			return redirect(w, r, signInURL(r))
		}
		if err != nil {
			return err
		}
		return h(w, r, v)
	}
}

// viewer finds the user of the session cookie.
func (c *Console) viewer(r *route.Request) (viewer, error) {
	secret := c.cookie(r)
	s, u, err := c.identity.SessionBySecret(r.Context(), secret)
	return viewer{user: u, session: s, secret: secret}, err
}

// signedInUser is viewer for the pages of services; nil for anonymous callers.
func (c *Console) signedInUser(r *route.Request) (*identity.User, error) {
	v, err := c.viewer(r)
	if isAnonymous(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &v.user, nil
}

func isAnonymous(err error) bool {
	return errors.Is(err, identity.ErrUnknown) || errors.Is(err, identity.ErrExpired) ||
		errors.Is(err, identity.ErrDisabled)
}

// redirect answers with See Other: the browser goes on with GET.
func redirect(w http.ResponseWriter, r *route.Request, to string) error {
	w.Header().Set("Location", address.To(r.Context(), to))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
	return nil
}
