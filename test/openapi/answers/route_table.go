package answers

import (
	"context"
	"net/http"
	"regexp"
	"strings"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/route/hostmux"
)

// Table finds the operation that serves a request.
type Table struct {
	mux *hostmux.Mux
}

// service is the routes of one service. It only matches.
type service struct {
	*route.Mux
	name string
}

// NewTable lays the route tables of the services side by side, as the app does.
func NewTable(modules []module.Module) *Table {
	t := &Table{mux: hostmux.New(nil)}
	options := route.Options{
		WriteError:   func(http.ResponseWriter, *route.Request, error) {},
		Extract:      credential.Bearer(),
		Authenticate: func(context.Context, credential.Credential) (route.Caller, error) { return nil, route.ErrNoRoute },
		Clock:        clock.Real(), IDs: ids.Seeded(1), Memory: budget.New(budget.MemoryOptions(0)),
		Requests: budget.New(budget.RequestOptions()),
	}
	for _, m := range modules {
		if len(m.Routes) == 0 {
			continue
		}
		options.Service = m.Name
		w := service{route.New(options, m.Routes), m.Name}
		for _, prefix := range m.Prefixes {
			t.mux.Prefix(prefix, w)
		}
		for _, host := range m.Hosts {
			t.mux.Host(host, w)
		}
	}
	return t
}

// Find is the name of the service and the "METHOD path" of a request, empty when no
// operation serves it.
func (t *Table) Find(r *http.Request) (name, operation string) {
	w, ok := t.mux.Find(r).(service)
	if !ok {
		return "", ""
	}
	found := w.Match(r)
	if found == nil || found.Method == "" {
		return "", ""
	}
	return w.name, Operation(found.Method, found.Pattern)
}

// Operation is how a book names a route: "METHOD path".
func Operation(method, pattern string) string { return method + " " + Path(pattern) }

var segment = regexp.MustCompile(`\{([a-zA-Z_0-9]+)(?:\.\.\.)?\}`)

// Path is a pattern as OpenAPI writes it.
func Path(pattern string) string {
	return segment.ReplaceAllString(strings.TrimSuffix(pattern, "{$}"), "{$1}")
}
