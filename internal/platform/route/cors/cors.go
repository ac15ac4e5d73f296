package cors

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Policy lets browsers on any origin call (the Fetch standard's cross-origin
// protocol), without cookies: with them any page could act as the signed-in user.
type Policy struct {
	// Expose are the response headers that scripts may read.
	Expose []string
	// MaxAge is how long a browser may remember a preflight (10 minutes).
	MaxAge time.Duration
}

// SetHeaders sets what every answer to another origin has, failures included: a
// script could not read those otherwise.
func (c *Policy) SetHeaders(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	if len(c.Expose) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(c.Expose, ", "))
	}
}

// Preflight adds what a browser asks before the real request.
func (c *Policy) Preflight(w http.ResponseWriter, r *http.Request, allow []string) {
	h := w.Header()
	if h.Get("Access-Control-Allow-Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(allow, ", "))
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
		h.Add("Vary", "Access-Control-Request-Headers")
	}
	age := c.MaxAge
	if age == 0 {
		age = 10 * time.Minute
	}
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(age.Seconds())))
}
