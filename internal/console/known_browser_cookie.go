package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route"
)

const (
	// browserTTL is how long a browser is known after it signed in.
	browserTTL = 180 * 24 * time.Hour
	// maxNames is how many names one browser is known for.
	maxNames = 8

	browserBinding = "browser that has signed in"
	browserCookie  = "stoa_browser"
)

// knownBrowser is the cookie that stays when a session ends: the names that the
// browser has signed in with, newest first. It grants nothing; attempts to sign
// in as one of the names are counted apart from those of other browsers.
type knownBrowser struct {
	Names []string `json:"n"`
}

// knownNames are the names that the browser has signed in with, in lower case.
func (c *Console) knownNames(r *route.Request) []string {
	cookie, err := r.Cookie(c.cookieName(r, browserCookie))
	if err != nil {
		return nil
	}
	var known knownBrowser
	if c.sealer().OpenAt(cookie.Value, browserBinding, c.world.Clock.Now(), &known) != nil {
		return nil
	}
	return known.Names
}

// rememberBrowser notes that the browser has signed in as name.
func (c *Console) rememberBrowser(w http.ResponseWriter, r *route.Request, name string) {
	name = strings.ToLower(name)
	names := []string{name}
	for _, other := range c.knownNames(r) {
		if len(names) < maxNames && !slices.Contains(names, other) {
			names = append(names, other)
		}
	}
	value := c.sealer().SealUntil(knownBrowser{names}, browserBinding, c.world.Clock.Now().Add(browserTTL))
	c.writeCookie(w, r, browserCookie, value, browserTTL)
}
