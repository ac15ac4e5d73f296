package app

import (
	"net/http"
	"net/url"
	"slices"

	"stoa.dev/stoa/docs"
	"stoa.dev/stoa/internal/app/memorybudget"
	"stoa.dev/stoa/internal/app/rpc"
	"stoa.dev/stoa/internal/app/sdkwarning"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/apifamily/batch"
	"stoa.dev/stoa/internal/platform/apifamily/discovery"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route/hostmux"
	"stoa.dev/stoa/internal/platform/world"
)

// Handler answers every request of this world, whichever listener or handler it
// comes through.
func (a *App) Handler() http.Handler { return a.handler }

// newHandler joins the platform's own paths, every module's prefixes and hosts,
// and the remote procedures that are offered over TCP.
func (a *App) newHandler() http.Handler {
	hosts := hostmux.New(http.HandlerFunc(a.handleUnowned))
	// Below a host whose names a service owns, as stoa.localhost is below localhost, every service is reached.
	if base, err := url.Parse(a.config.BaseURL); err == nil && base.Hostname() != "" {
		hosts.PathHost(base.Hostname())
	}
	family := familyModules(a.world, a.Modules(), a.identity)
	for _, m := range slices.Concat(a.modules, []module.Module{a.console.Module(), a.manual.Module()}, family) {
		if m.Handler == nil {
			continue
		}
		for _, prefix := range m.Prefixes {
			hosts.Prefix(prefix, m.Handler)
		}
		for _, host := range m.Hosts {
			hosts.Host(host, a.console.OnServiceHost(m.Handler))
		}
		if host, ok := a.config.Hosts[m.Name]; ok {
			hosts.Host(host, a.console.OnServiceHost(withFamily(m, family)))
		}
	}
	hosts.Prefix("/healthz", a.platformPath(http.HandlerFunc(a.readiness.ServeHealth)))
	hosts.Prefix("/readyz", a.platformPath(http.HandlerFunc(a.readiness.ServeReady)))
	const metricsMemory = 64 << 10 // what an answer holds until it is read, beside the page, which is shared
	metrics := memorybudget.Handler(a.world.Memory, metricsMemory, a.world.Telemetry.Handler())
	hosts.Prefix("/metrics", a.platformPath(metrics))
	handler, stop := rpc.Handler(a.rpcOptions(), hosts)
	a.onClose(func() error { stop(); return nil })
	if d := a.world.Dialect; d != nil && !d.SDK() {
		handler = sdkwarning.Handler(a.world.Telemetry.Log, handler)
	}
	if a.options.Clock != nil {
		handler = dated(a.options.Clock, handler)
	}
	return handler
}

// handleUnowned asks the modules about a path that none of them owns.
func (a *App) handleUnowned(w http.ResponseWriter, r *http.Request) {
	for _, m := range a.modules {
		if m.Unowned != nil && m.Unowned(w, r) {
			return
		}
	}
	a.handleNotFound(w, r)
}

// familyModules answer, for all services of the API family, batches and questions for
// descriptions.
func familyModules(w *world.World, modules []module.Module, i *identity.Identity) []module.Module {
	var family []identity.Requirement
	for _, m := range modules {
		if m.API != nil {
			family = append(family, identity.Requirement{Service: m.Name, Kinds: identity.TokenKinds()})
		}
	}
	batches := batch.New(w, modules, i.AuthenticatorOf(family...))
	descriptions := discovery.New(discovery.Options{
		World: w, Modules: modules, Scope: i.Full, OpenAPI: docs.OpenAPI,
	})
	return []module.Module{
		{Name: "batch", Prefixes: []string{batch.Path}, Handler: batches.Handler(), Routes: batches.Routes()},
		{
			Name: "discovery", Prefixes: []string{discovery.Path}, Handler: descriptions.Handler(),
			Routes: descriptions.Routes(),
		},
	}
}

// withFamily is a module's handler on a host of its own.
func withFamily(m module.Module, family []module.Module) http.Handler {
	if m.API == nil {
		return m.Handler
	}
	own := hostmux.New(m.Handler)
	for _, f := range family {
		own.Prefix(f.Prefixes[0], f.Handler)
	}
	return own
}

// dated says the world's time in Date, which net/http takes from the machine.
func dated(c clock.Clock, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", c.Now().UTC().Format(http.TimeFormat))
		next.ServeHTTP(w, r)
	})
}
