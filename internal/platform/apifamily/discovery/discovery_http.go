package discovery

import (
	"context"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/platform/world"
)

// Path is what all addresses of descriptions begin with.
const Path = "/discovery/v1"

// Options are what descriptions are made of; all are needed.
type Options struct {
	World *world.World
	// Modules are all; those without an API are left out.
	Modules []module.Module
	// OpenAPI reads the description of a service.
	OpenAPI func(service string) ([]byte, error)
	// Scope is a scope as clients write it.
	Scope func(ctx context.Context, name string) string
}

// Descriptions answers with descriptions.
type Descriptions struct{ o Options }

// New makes a handler of descriptions.
func New(o Options) *Descriptions { return &Descriptions{o: o} }

// Handler serves descriptions.
func (d *Descriptions) Handler() http.Handler {
	return route.New(d.o.World.RouteOptions(route.Options{
		Service: "discovery", WriteError: writeError, CORS: &route.CORS{},
	}), d.Routes())
}

// Routes is the operation table. Descriptions are public.
func (d *Descriptions) Routes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: Path + "/apis", Name: "discovery.apis.list", Handle: d.handleList},
		{Method: "GET", Pattern: Path + "/apis/{api}/{version}/rest", Name: "discovery.apis.getRest", Handle: d.handleRest},
	}
}

func writeError(w http.ResponseWriter, r *route.Request, err error) {
	fault.Write(w, r, fault.Common(r, err))
}

func (d *Descriptions) handleList(w http.ResponseWriter, r *route.Request) error {
	name, items := r.Query().Get("name"), []object{}
	if text := r.Query().Get("preferred"); text != "" {
		if _, err := strconv.ParseBool(text); err != nil {
			return &fault.ParameterError{Name: "preferred", Message: "preferred must be true or false"}
		}
	}
	root := d.o.World.URL(r.Context())
	for _, m := range d.o.Modules {
		if m.API == nil || name != "" && name != m.API.Name {
			continue
		}
		link := "/apis/" + m.API.Name + "/" + m.API.Version + "/rest"
		items = append(items, object{
			"kind": "discovery#directoryItem", "id": m.API.Name + ":" + m.API.Version, "name": m.API.Name,
			"version": m.API.Version, "title": m.Title, "description": m.Title, "discoveryRestUrl": root + Path + link,
			"discoveryLink": "." + link, "documentationLink": root + "/docs/services/" + m.Name, "preferred": true,
		})
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, object{
		"kind": "discovery#directoryList", "discoveryVersion": "v1", "items": items,
	})
}

func (d *Descriptions) handleRest(w http.ResponseWriter, r *route.Request) error {
	for _, m := range d.o.Modules {
		if !m.Is(r.PathValue("api"), r.PathValue("version")) {
			continue
		}
		source, err := d.o.OpenAPI(m.Name)
		if err != nil {
			return err
		}
		scope := func(name string) string { return d.o.Scope(r.Context(), name) }
		out, err := document(m, source, d.o.World.URL(r.Context()), scope)
		if err != nil {
			return err
		}
		return wire.WriteJSON(w, r.Request, http.StatusOK, out)
	}
	return route.ErrNoRoute
}
