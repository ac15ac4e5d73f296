package console

import (
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
)

// secure reports whether the browser came over HTTPS, here or at a proxy.
func (c *Console) secure(r *route.Request) bool {
	return r.TLS != nil || strings.HasPrefix(c.world.URL(r.Context()), "https:")
}

// cookieName has the prefix that binds the cookie to this host and to HTTPS,
// where that is possible: not to the host where others are below it.
func (c *Console) cookieName(r *route.Request, name string) string {
	a := address.From(r.Context())
	if a != nil {
		name += a.Cookies
	}
	switch {
	case !c.secure(r):
		return name
	case a != nil && a.Path != "":
		return "__Secure-" + name
	}
	return "__Host-" + name
}

// writeCookie sets a cookie of this world and of no other on the same host.
func (c *Console) writeCookie(w http.ResponseWriter, r *route.Request, name, value string, age time.Duration) {
	path := address.Path(r.Context())
	if path == "" {
		path = "/"
	}
	http.SetCookie(w, &http.Cookie{
		Name: c.cookieName(r, name), Value: value, Path: path, MaxAge: int(age.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.secure(r),
	})
}

const sessionCookie = "stoa_session"

func (c *Console) cookie(r *route.Request) string {
	cookie, err := r.Cookie(c.cookieName(r, sessionCookie))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie gives the browser a secret; an empty one takes it away.
func (c *Console) setCookie(w http.ResponseWriter, r *route.Request, secret string) {
	age := c.config.SessionTTL
	if secret == "" {
		age = -time.Second
	}
	c.writeCookie(w, r, sessionCookie, secret, age)
}
