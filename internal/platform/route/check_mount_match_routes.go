package route

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/route/patternmux"
	"stoa.dev/stoa/internal/platform/route/urltext"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// endpoint is one route with everything resolved that requests would otherwise
// look up again and again.
type endpoint struct {
	route   *Route
	extract credential.Extractor
	maxBody int64
	timeout time.Duration
	metrics *telemetry.RouteMetrics
}

// verbRoutes is one pattern of the ServeMux: a plain route, or all routes that share
// a method and a prefix and differ in the verb of the last segment.
type verbRoutes struct {
	secretPattern string // the pattern, when the path has a secret
	wildcard      string // name of the last wildcard, when there are verbs
	plain         *endpoint
	verbs         map[string]*endpoint
}

// ServeHTTP only notes the match; the Mux goes on when the ServeMux returns.
func (e *verbRoutes) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.(*recorder).matched = e
}

// pick chooses by verb and cuts it off the path value. A tail that is not a verb
// belongs to the value: ids may have colons.
func (e *verbRoutes) pick(r *http.Request) *endpoint {
	if e.verbs == nil {
		return e.plain
	}
	value := r.PathValue(e.wildcard)
	if name, ep := e.split(value); ep != nil {
		r.SetPathValue(e.wildcard, name)
		return ep
	}
	return e.plain
}

// split finds the verb after the last colon. A name has to precede it: a wildcard
// never matches nothing.
func (e *verbRoutes) split(value string) (name string, _ *endpoint) {
	i := strings.LastIndexByte(value, ':')
	if i <= 0 || value[i-1] == '/' {
		return "", nil
	}
	return value[:i], e.verbs[value[i+1:]]
}

// choose is pick for a path that ends in last and has no path values yet.
func (e *verbRoutes) choose(last string) *endpoint {
	if _, ep := e.split(last); ep != nil {
		return ep
	}
	return e.plain
}

// methods are those a route can have, sorted.
func methods() []string { return []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"} }

// checkRows panics on a malformed row: a programming error, found by the first test
// that builds the service. Rows that contradict each other are found by its first
// request.
func (m *Mux) checkRows() {
	for i := range m.routes {
		r := &m.routes[i]
		if problem := m.check(r); problem != "" {
			panic(fmt.Sprintf("route: %s: %s %s (%s): %s", m.o.Service, r.Method, r.Pattern, r.Name, problem))
		}
	}
}

// mount builds what finds endpoints: a world that is not asked keeps none.
func (m *Mux) mount() *patternmux.Mux {
	mux := patternmux.New()
	entries := make(map[string]*verbRoutes)
	for i := range m.routes {
		r := &m.routes[i]
		pattern, wild, verb := patternmux.SplitVerb(r.Pattern)
		key := strings.TrimSpace(r.Method + " " + pattern)
		e := entries[key]
		if e == nil {
			e = &verbRoutes{secretPattern: secretPattern(pattern)}
			entries[key] = e
			mux.Handle(key, e, r.First)
		}
		if !e.add(wild, verb, m.endpoint(r)) {
			panic(fmt.Sprintf("route: %s: %s %s is declared twice", m.o.Service, r.Method, r.Pattern))
		}
	}
	return mux
}

func (e *verbRoutes) add(wild, verb string, ep *endpoint) bool {
	if verb == "" {
		free := e.plain == nil
		e.plain = ep
		return free
	}
	if e.verbs == nil {
		e.verbs = make(map[string]*endpoint)
	}
	_, taken := e.verbs[verb]
	e.wildcard, e.verbs[verb] = wild, ep
	return !taken
}

func (m *Mux) endpoint(r *Route) *endpoint {
	ep := &endpoint{
		route: r, extract: credential.Inside(r.Extract, m.o.Extract), maxBody: cmp.Or(r.MaxBody, m.o.MaxBody),
		timeout: cmp.Or(r.Timeout, m.o.Timeout) + m.o.MoreTime, metrics: m.tel.Route(m.o.Service, r.Name),
	}
	if r.Streams {
		ep.timeout = 0
	}
	return ep
}

// check finds what is wrong with one row of the table.
func (m *Mux) check(r *Route) string {
	switch {
	case r.Handle == nil:
		return "no handler"
	case r.Name == "":
		return "no name"
	case !strings.HasPrefix(r.Pattern, "/"):
		return "the pattern must start with a slash"
	case r.Method != "" && !slices.Contains(methods(), r.Method):
		return "unknown method"
	case r.Access < Open || r.Access > Required:
		return "unknown access"
	case r.Access != Open && (m.o.Authenticate == nil || (r.Extract == nil && m.o.Extract == nil)):
		return "credentials need Extract and Authenticate"
	case r.Access != Required && len(r.Scopes) > 0:
		return "scopes need access Required"
	}
	return ""
}

// lastSegment is the decoded text after the path's last slash.
func lastSegment(r *http.Request) string {
	last := r.URL.EscapedPath()
	last = last[strings.LastIndexByte(last, '/')+1:]
	if plain, err := url.PathUnescape(last); err == nil {
		return plain
	}
	return last
}

// secretPattern is the pattern if one of its wildcards is named like a secret. The log
// then shows the pattern in place of the path.
func secretPattern(pattern string) string {
	for segment := range strings.SplitSeq(pattern, "/") {
		name, ok := strings.CutPrefix(segment, "{")
		if ok && telemetry.SecretName(strings.TrimRight(name, ".}")) {
			return pattern
		}
	}
	return ""
}

// Match is the route that would serve r, or nil. It changes nothing.
func (m *Mux) Match(r *http.Request) *Route {
	if urltext.InvalidPath(r.URL) || r.Method == http.MethodConnect {
		return nil
	}
	h, _ := m.mux().Handler(r)
	e, ok := h.(*verbRoutes)
	if !ok {
		return nil
	}
	ep := e.choose(lastSegment(r))
	if ep == nil {
		return nil
	}
	return ep.route
}

// allowed is the methods that the request's path has, sorted; nil means that
// the path is unknown. It asks the ServeMux once per method of the table, which
// only requests that already failed have to pay for. secret is as in verbRoutes.
func (m *Mux) allowed(r *http.Request) (out []string, secret string) {
	last := lastSegment(r)
	for _, method := range methods() {
		try := *r
		try.Method = method
		h, _ := m.mux().Handler(&try)
		e, ok := h.(*verbRoutes)
		if ok && e.secretPattern != "" {
			secret = e.secretPattern
		}
		if !ok {
			continue
		}
		if ep := e.choose(last); ep != nil && !ep.route.Refuses {
			out = append(out, method)
			if method == http.MethodGet {
				out = append(out, http.MethodHead)
			}
		}
	}
	if out == nil {
		return nil, secret
	}
	out = append(out, http.MethodOptions)
	slices.Sort(out)
	return slices.Compact(out), secret
}
