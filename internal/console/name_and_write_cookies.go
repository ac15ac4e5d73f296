package console

import (
	"net"
	"net/http"
	"strconv"
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
// where that is possible: not to the host where others are below it. Browsers send
// cookies to every port of a host, so that the name has the port: two servers on one
// host have two sessions.
func (c *Console) cookieName(r *route.Request, name string) string {
	a := address.From(r.Context())
	if a != nil {
		name += a.Cookies
	}
	if _, port, err := net.SplitHostPort(r.Host); err == nil && isNumber(port) {
		name += "_" + port
	}
	switch {
	case !c.secure(r):
		return name
	case a != nil && a.Path != "":
		return "__Secure-" + name
	}
	return "__Host-" + name
}

// isNumber keeps what is no port out of the name of a cookie.
func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
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
