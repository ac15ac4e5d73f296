package patternmux

import (
	"net/http"
	"strings"
)

// Mux finds the handler of a request.
type Mux struct {
	first *http.ServeMux // nil when no pattern is asked first
	rest  *http.ServeMux
}

// New makes an empty one.
func New() *Mux { return &Mux{rest: http.NewServeMux()} }

// Handle adds a pattern. One that is asked first wins over all that are not.
func (m *Mux) Handle(pattern string, h http.Handler, first bool) {
	if !first {
		m.rest.Handle(pattern, h)
		return
	}
	if m.first == nil {
		m.first = http.NewServeMux()
	}
	m.first.Handle(pattern, h)
}

// Handler is the handler of a request and its pattern, which is empty when there is
// none.
func (m *Mux) Handler(r *http.Request) (http.Handler, string) {
	return m.choose(r).Handler(r)
}

func (m *Mux) choose(r *http.Request) *http.ServeMux {
	if m.first == nil {
		return m.rest
	}
	if _, pattern := m.first.Handler(r); pattern == "" {
		return m.rest
	}
	return m.first
}

// ServeHTTP calls the handler of a request.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.choose(r).ServeHTTP(w, r) }

// SplitVerb cuts ":verb" off a pattern whose last segment is "{x}:verb".
func SplitVerb(pattern string) (rest, wild, verb string) {
	open := strings.LastIndexByte(pattern, '{')
	shut := strings.LastIndex(pattern, "}:")
	if shut < 0 || open < 0 || open > shut || strings.IndexByte(pattern[shut:], '/') >= 0 {
		return pattern, "", ""
	}
	return pattern[:shut+1], strings.TrimSuffix(pattern[open+1:shut], "..."), pattern[shut+2:]
}
