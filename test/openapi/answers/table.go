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
)

// Table finds the operation that serves a request.
type Table struct {
	roof *route.HostMux
}

// wing is one service under the roof. It only matches.
type wing struct {
	*route.Mux
	service string
}

// NewTable lays the route tables of the services side by side, as the app does.
func NewTable(modules []module.Module) *Table {
	t := &Table{roof: route.NewHostMux(nil)}
	options := route.Options{
		WriteError:   func(http.ResponseWriter, *route.Request, error) {},
		Extract:      route.Bearer(),
		Authenticate: func(context.Context, route.Credential) (route.Caller, error) { return nil, route.ErrNoRoute },
		Clock:        clock.Real(), IDs: ids.Seeded(1), Memory: budget.New(budget.MemoryOptions(0)), Requests: budget.New(budget.RequestOptions()),
	}
	for _, m := range modules {
		if len(m.Routes) == 0 {
			continue
		}
		options.Service = m.Name
		w := wing{route.New(options, m.Routes), m.Name}
		for _, prefix := range m.Prefixes {
			t.roof.Prefix(prefix, w)
		}
		for _, host := range m.Hosts {
			t.roof.Host(host, w)
		}
	}
	return t
}

// Find is the service and the "METHOD path" of a request, empty when no
// operation serves it.
func (t *Table) Find(r *http.Request) (service, operation string) {
	w, ok := t.roof.Find(r).(wing)
	if !ok {
		return "", ""
	}
	found := w.Match(r)
	if found == nil || found.Method == "" {
		return "", ""
	}
	return w.service, Operation(found.Method, found.Pattern)
}

// Operation is how a book names a route: "METHOD path".
func Operation(method, pattern string) string { return method + " " + Path(pattern) }

var segment = regexp.MustCompile(`\{([a-zA-Z_0-9]+)(?:\.\.\.)?\}`)

// Path is a pattern as OpenAPI writes it.
func Path(pattern string) string {
	return segment.ReplaceAllString(strings.TrimSuffix(pattern, "{$}"), "{$1}")
}
