package hostmux

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// Mux joins handlers on one listener. All registration happens before the
// first request.
type Mux struct {
	fallback      http.Handler
	prefixes      map[string][]prefixRoute // by first segment, longest prefix first
	hosts         map[string]http.Handler  // "name"
	wildcardHosts map[string]http.Handler  // "name" of "*.name"
	pathHosts     map[string]bool          // hosts that no wildcard takes
}

// prefixRoute is one prefix and its handler.
type prefixRoute struct {
	prefix  string
	handler http.Handler
}

// New makes a Mux that answers what no handler owns with fallback; nil means a JSON 404
// that points to the documentation.
func New(fallback http.Handler) *Mux {
	if fallback == nil {
		fallback = http.HandlerFunc(notFound)
	}
	return &Mux{
		fallback:      fallback,
		prefixes:      make(map[string][]prefixRoute),
		hosts:         make(map[string]http.Handler),
		wildcardHosts: make(map[string]http.Handler),
		pathHosts:     make(map[string]bool),
	}
}

// Prefix gives h all paths at and below prefix, by whole segments. A prefix
// that is registered twice panics.
func (f *Mux) Prefix(prefix string, h http.Handler) {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix != "" && (prefix[0] != '/' || strings.Contains(prefix, "//")) {
		panic(fmt.Sprintf("route: prefix %q must be a path", prefix))
	}
	first := firstSegment(prefix)
	list := f.prefixes[first]
	for _, w := range list {
		if w.prefix == prefix {
			panic(fmt.Sprintf("route: prefix %q is registered twice", prefix))
		}
	}
	list = append(list, prefixRoute{prefix, h})
	slices.SortStableFunc(list, func(a, b prefixRoute) int { return len(b.prefix) - len(a.prefix) })
	f.prefixes[first] = list
}

// Host gives h all requests to a host, whatever the path and the port. The
// pattern is a name or "*.name", where the star is exactly one label. Hosts win
// over prefixes. A pattern that is registered twice panics.
func (f *Mux) Host(pattern string, h http.Handler) {
	table, name := f.hosts, strings.ToLower(pattern)
	if rest, ok := strings.CutPrefix(name, "*."); ok {
		table, name = f.wildcardHosts, rest
	}
	if name == "" || strings.Contains(name, "*") || table[name] != nil {
		panic(fmt.Sprintf("route: host %q is malformed or registered twice", pattern))
	}
	table[name] = h
}

// PathHost keeps a host for the prefixes: a wildcard over it does not take it.
func (f *Mux) PathHost(name string) {
	f.pathHosts[strings.ToLower(strings.TrimSuffix(name, "."))] = true
}

// ServeHTTP hands the request to its owner.
func (f *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.Find(r).ServeHTTP(w, r)
}

// Find is the handler that owns the request.
func (f *Mux) Find(r *http.Request) http.Handler {
	if len(f.hosts)+len(f.wildcardHosts) > 0 {
		if h := f.byHost(r.Host); h != nil {
			return h
		}
	}
	path := r.URL.Path
	if r.URL.RawPath != "" {
		path = decodeSegments(r.URL.RawPath)
	}
	for _, w := range f.prefixes[firstSegment(path)] {
		if hasPrefix(path, w.prefix) {
			return w.handler
		}
	}
	if root := f.prefixes[""]; len(root) > 0 {
		return root[0].handler
	}
	return f.fallback
}

func (f *Mux) byHost(host string) http.Handler {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if h := f.hosts[host]; h != nil || f.pathHosts[host] {
		return h
	}
	if label, rest, ok := strings.Cut(host, "."); ok && label != "" {
		return f.wildcardHosts[rest]
	}
	return nil
}

// firstSegment is what a path's owner is looked up by.
func firstSegment(path string) string {
	if path == "" {
		return ""
	}
	path = path[1:]
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return path
}

func hasPrefix(path, prefix string) bool {
	return strings.HasPrefix(path, prefix) && (len(path) == len(prefix) || path[len(prefix)] == '/')
}

// decodeSegments decodes an escaped path but leaves encoded slashes alone: they do
// not part segments.
func decodeSegments(raw string) string {
	parts := strings.Split(raw, "/")
	for i, p := range parts {
		if plain, err := url.PathUnescape(p); err == nil && !strings.Contains(plain, "/") {
			parts[i] = plain
		}
	}
	return strings.Join(parts, "/")
}

// notFound is the answer outside every service's envelope.
func notFound(w http.ResponseWriter, r *http.Request) {
	// Only the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r, http.StatusNotFound, struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{"not_found", "no service owns this path; /docs/ lists every service and its paths"})
}
