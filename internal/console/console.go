package console

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Name is the console's name in log and metrics.
const Name = "console"

// Console is the pages.
type Console struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	modules  []module.Module
	looks    *looks
	origin   *http.CrossOriginProtection
	// checks bounds how many passwords are checked at a time, pace times the
	// pauses before them.
	checks *budget.Pool
	pace   clock.Clock
	mux    *route.Mux
}

// New builds the pages on what identity knows. The modules give the services
// their titles.
func New(w *world.World, identity *identity.Identity, c Config, modules []module.Module) *Console {
	console := &Console{
		world: w, identity: identity, config: c, modules: modules, looks: newLooks(), origin: http.NewCrossOriginProtection(),
		checks: newChecks(), pace: clock.Real(),
	}
	console.mux = route.New(console.muxOptions(), console.routes())
	return console
}

// Module describes the console to the roof. It has no letter: it is no service.
func (c *Console) Module() module.Module {
	return module.Module{
		Name: Name, Title: "Console", Prefixes: []string{"/console", "/device", "/favicon.ico"},
		Handler: c.mux, Routes: c.mux.Routes(),
	}
}

// Style is the address of the style sheet, for pages beside the console's.
func (c *Console) Style() string { return c.looks.styleURL() }

// Pages are the faces that services may show.
func (c *Console) Pages() identity.Pages {
	return identity.Pages{Consent: c.askConsent, Say: c.say, Show: c.show, Visitor: c.whoVisits}
}

// Beside serves the console's own paths on a host that belongs to somebody
// else, because people sign in on the host they are on.
func (c *Console) Beside(next http.Handler) http.Handler {
	roof := route.NewHostMux(next)
	roof.Prefix("/console", c.mux)
	roof.Prefix("/device", c.mux)
	roof.Prefix("/favicon.ico", c.mux)
	// The page and the device contract share a first segment.
	roof.Prefix("/device/code", next)
	return roof
}

// sealer protects what travels in hidden fields.
func (c *Console) sealer() *page.Sealer { return page.NewSealer(c.world.Seal.Derive(Name)) }

// title is a service's name for people.
func (c *Console) title(service string) string {
	for _, m := range c.modules {
		if m.Name == service {
			return m.Title
		}
	}
	return service
}
