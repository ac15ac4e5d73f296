package console

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/console/dashboards"
	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/ownership"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/hostmux"
	"stoa.dev/stoa/internal/platform/world"
)

// Name is the console's name in log and metrics.
const Name = "console"

// Console serves the pages.
type Console struct {
	world     *world.World
	identity  *identity.Identity
	grants    *grants.Grants
	config    Config
	modules   []module.Module
	templates *templates
	origin    *http.CrossOriginProtection
	// passwordChecks bounds how many passwords are checked at a time, pauseClock
	// times the pauses before them.
	passwordChecks *budget.Pool
	pauseClock     clock.Clock
	mux            *route.Mux
	// hostMux serves the same pages on hosts of services.
	hostMux      *route.Mux
	resources    *resourcepages.Pages
	requestPages *requestpages.Pages
	labPages     *labpages.Pages
	dashboards   *dashboards.Pages
	around       atomic.Pointer[Around]
	backingUp    atomic.Bool
}

// Around is what stands around the console and is made after it.
type Around struct {
	// Handler answers every request of this world.
	Handler http.Handler
	// Commands are the operator's.
	Commands func() []module.Command
	// Settings lists the configuration in force; Version is the program's.
	Settings func() []administration.Setting
	Version  string
	// Backup is a copy of everything, and Restore the command that brings it back.
	Backup  func(context.Context) (Download, error)
	Restore string
	// Elsewhere is what a backup cannot copy, empty when it copies all.
	Elsewhere string
	// Lab is the control API of the lab that holds this world, for who has its token,
	// and LabWorld the world's name there. Without a lab there is neither.
	Lab      http.Handler
	LabWorld string
	// JobKinds are the kinds of background jobs.
	JobKinds func() []jobs.Registration
}

// Download is a file that is made for one answer. Close removes it.
type Download struct {
	io.Reader
	Close func() error
	// Size is what Reader has.
	Size int64
}

// Provide sets what stands around the console. It is called once, before requests.
func (c *Console) Provide(a Around) { c.around.Store(&a) }

// New builds the pages on what identity knows. The modules give the services
// their titles.
func New(
	w *world.World, identity *identity.Identity, grants *grants.Grants, c Config, modules []module.Module,
) *Console {
	console := &Console{
		world: w, identity: identity, grants: grants, config: c, modules: modules, templates: parsedTemplates(),
		origin: http.NewCrossOriginProtection(), passwordChecks: newPasswordChecks(), pauseClock: clock.Real(),
	}
	console.around.Store(&Around{})
	console.makePages()
	console.mux = route.New(console.muxOptions(), console.routes())
	console.hostMux = route.New(console.muxOptions(), console.hostRoutes())
	return console
}

// makePages makes the inner packages' pages.
func (c *Console) makePages() {
	names, examples := []string{"stoa", Name, "manual"}, map[string]module.Example{}
	for _, m := range c.modules {
		names, examples[m.Name] = append(names, m.Name), m.Example
	}
	c.resources = resourcepages.New(resourcepages.Options{
		Modules:    append(slices.Clone(c.modules), administration.Module()),
		Commands:   c.commands,
		Credential: c.identity.SessionCredential, Clock: c.world.Clock, URL: c.world.URL, Dir: c.world.Dir,
	})
	c.dashboards = dashboards.New(dashboards.NewStore(c.world.DB, c.world.Clock, c.world.IDs), c.resources)
	kept := c.world.Journal
	if kept == nil {
		kept = journal.New(journal.Options{}) // it is off
	}
	c.requestPages = requestpages.New(requestpages.Options{
		Journal: kept, Services: names, Own: []string{Name, "manual"}, Examples: examples, URL: c.world.URL,
		Handler: func() http.Handler { return c.around.Load().Handler },
	})
	c.labPages = labpages.New(labpages.Options{
		Control: func() (http.Handler, string) { a := c.around.Load(); return a.Lab, a.LabWorld }, Clock: c.world.Clock,
		JobKinds: func() []jobs.Registration {
			if list := c.around.Load().JobKinds; list != nil {
				return list()
			}
			return nil
		},
	})
}

// commands are the operator's; a console with nothing around it has none.
func (c *Console) commands() []module.Command {
	if list := c.around.Load().Commands; list != nil {
		return list()
	}
	return nil
}

// Migrations make the console's tables.
func Migrations() database.Migrations { return dashboards.Migrations() }

// Owned says which rows of the console belong to users.
func Owned() []ownership.Rows { return dashboards.Owned() }

// Module describes the console to the app. It has no letter: it is not a service.
func (c *Console) Module() module.Module {
	return module.Module{
		Name: Name, Title: "Console", Prefixes: prefixes(), Handler: c.mux, Routes: c.mux.Routes(),
	}
}

// Style is the address of the style sheet, for pages beside the console's.
func (c *Console) Style() string { return c.templates.StyleURL() }

// Pages are the pages that services may show.
func (c *Console) Pages() identity.Pages {
	return identity.Pages{
		Consent: c.consentHandler, Message: c.messageHandler, Page: c.pageHandler, User: c.signedInUser,
	}
}

// prefixes are the paths that the console owns.
func prefixes() []string { return []string{"/console", "/device", "/favicon.ico"} }

// OnServiceHost serves the console's paths on a host that belongs to a service,
// because users sign in on the host they are on. A service's own path below one
// of them, such as an API below /device, stays the service's.
func (c *Console) OnServiceHost(service http.Handler) http.Handler {
	mux := hostmux.New(service)
	for _, prefix := range prefixes() {
		mux.Prefix(prefix, c.hostMux)
	}
	for _, m := range c.modules {
		for _, prefix := range m.Prefixes {
			if slices.ContainsFunc(prefixes(), func(own string) bool { return strings.HasPrefix(prefix, own+"/") }) {
				mux.Prefix(prefix, service)
			}
		}
	}
	return mux
}

// sealer protects what travels in hidden fields.
func (c *Console) sealer() *page.Sealer { return page.NewSealer(c.world.Seal.ProofKey(Name)) }

// serviceTitle is the title of a service, or its name when it has none.
func (c *Console) serviceTitle(service string) string {
	for _, m := range c.modules {
		if m.Name == service {
			return m.Title
		}
	}
	return service
}
