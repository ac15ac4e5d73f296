package route

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CORS says what browsers on other origins may do (the Fetch standard's
// cross-origin protocol).
type CORS struct {
	// Origins that are allowed; "*" allows any.
	Origins []string
	// Headers that a request may carry; empty allows those it asks for.
	Headers []string
	// Expose are the response headers that scripts may read.
	Expose []string
	// Credentials allows cookies. It needs explicit Origins: with "*" any page
	// could act as the signed-in user.
	Credentials bool
	// MaxAge is how long a browser may remember a preflight (10 minutes).
	MaxAge time.Duration
}

// mark sets the headers that every answer to an allowed origin has, failures
// included: a script could not read those otherwise.
func (c *CORS) mark(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	any := slices.Contains(c.Origins, "*")
	if !any {
		h.Add("Vary", "Origin")
	}
	origin := r.Header.Get("Origin")
	switch {
	case origin == "":
		return
	case any:
		h.Set("Access-Control-Allow-Origin", "*")
	case slices.Contains(c.Origins, origin):
		h.Set("Access-Control-Allow-Origin", origin)
		if c.Credentials {
			h.Set("Access-Control-Allow-Credentials", "true")
		}
	default:
		return
	}
	if len(c.Expose) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(c.Expose, ", "))
	}
}

// preflight adds what a browser asks before the real request.
func (c *CORS) preflight(w http.ResponseWriter, r *http.Request, allow []string) {
	h := w.Header()
	if h.Get("Access-Control-Allow-Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(allow, ", "))
	if len(c.Headers) > 0 {
		h.Set("Access-Control-Allow-Headers", strings.Join(c.Headers, ", "))
	} else if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
		h.Add("Vary", "Access-Control-Request-Headers")
	}
	age := c.MaxAge
	if age == 0 {
		age = 10 * time.Minute
	}
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(age.Seconds())))
}
