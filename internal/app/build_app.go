package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/app/publicaddress"
	"stoa.dev/stoa/internal/app/reachable"
	"stoa.dev/stoa/internal/app/readiness"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/console/manual"
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/oidc"
	"stoa.dev/stoa/internal/identity/passwords"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Options are what an App is built from. Config names the data folder, the base
// address and the listeners; the rest is not for a file.
type Options struct {
	Config  Config
	Version string
	// Clock and IDs are the world's own; nil means the machine's.
	Clock clock.Clock
	IDs   *ids.Source
	// Memory is shared by all worlds of a process; nil means a pool of the
	// process's limit.
	Memory *budget.Pool
	// Journal keeps what is asked and answered; nil means one that is off until an
	// operator turns it on for a while.
	Journal *journal.Journal
	// Passwords is the cost of password hashes; zero means passwords.Default.
	Passwords passwords.Options
	// NoHTTP leaves the HTTP listeners out: requests come through Handler, at
	// Config.BaseURL.
	NoHTTP bool
	// Bind takes the addresses before anything else, and looks at the socket and the
	// certificates, so that a server that cannot have them leaves no folder behind.
	Bind bool
	// LogTo receives the log; nil discards it.
	LogTo io.Writer
	// Quiet keeps everything below warnings out of the log.
	Quiet bool
	// FaultRules make chosen requests, messages and jobs fail; nil leaves all alone.
	FaultRules *faultrule.Set
	// NoSync lets acknowledged writes be lost when the machine loses its power, not
	// when the process ends: for worlds that are made for a test.
	NoSync bool
	// MoreTime is added to the time that each request has, for worlds that behave the same on a busy machine.
	MoreTime time.Duration
	// Command says that this process ends soon: a server that starts meanwhile waits.
	Command bool
	// AroundStore is called for every call of the database, for stores that fail on
	// purpose.
	AroundStore func(ctx context.Context, call database.Call, run func() error) error
	// ThrowAway says why found package registries are not asked whatever the
	// listeners are, such as for a world that lives for one command. Such a world
	// does not try its sandbox at the start either.
	ThrowAway string
	// Called is told of every call of a remote procedure on the socket; nil means that
	// no program asks.
	Called func()
	// Lab is the control API of the lab that holds this world, for who has its token,
	// and LabWorld the world's name there; nil and empty outside of a lab.
	Lab      http.Handler
	LabWorld string
	// ProofSalt tells what this world signs for clients from what another one signs whose data are a copy of the
	// same; empty outside of a lab.
	ProofSalt string
	// Origins says where the settings come from, by name; nil where only the program
	// that made the world knows.
	Origins map[string]settings.Origin
}

// App is one world with everything that serves it.
type App struct {
	options  Options
	config   Config
	world    *world.World
	identity *identity.Identity
	grants   *grants.Grants
	modules  []module.Module
	console  *console.Console
	manual   *manual.Manual
	handler  http.Handler
	// table is every operation of every module, to find the path that was meant.
	table func() []route.Route
	// commands are made when the first one is asked for.
	commands func() []module.Command
	server   *listen.Server

	// draining says that a stop signal came: requests are answered, and /readyz says no.
	draining  atomic.Bool
	readiness *readiness.Readiness
	closers   []func() error
}

// New opens the data folder, applies migrations and builds every part. Nothing
// runs yet, but commands can be run.
func New(ctx context.Context, o Options) (_ *App, err error) {
	if err := o.Config.Validate(); err != nil {
		return nil, err
	}
	a := &App{options: o, config: o.Config}
	a.table = sync.OnceValue(a.joinRoutes)
	a.config.Packages.Reachable = cmp.Or(o.ThrowAway, a.config.Reachable())
	a.config.Pipelines.Untried = o.ThrowAway != ""
	a.server = listen.NewServer(listen.Options{
		Config: a.config.Listen, BaseURL: a.config.BaseURL, Hosts: slices.Collect(maps.Values(a.config.Hosts)),
	})
	a.onClose(a.server.Close)
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if o.Bind && !o.NoHTTP {
		if err := errors.Join(a.server.Bind(ctx), a.config.Listen.Check(a.config.Data)); err != nil {
			return nil, err
		}
		if err := reachable.Database(ctx, a.config.Data, a.config.Database); err != nil {
			return nil, a.databaseError(err)
		}
	}
	if err := a.openWorld(ctx); err != nil {
		return nil, err
	}
	if err := a.openAuthority(); err != nil {
		return nil, err
	}
	if err := a.buildServices(ctx); err != nil {
		return nil, err
	}
	a.console = console.New(a.world, a.identity, a.grants, a.config.Console, a.Modules())
	a.identity.ProvidePages(a.console.Pages())
	a.manual = manual.New(a.world, a.Modules(), a.console.Style())
	a.handler = a.newHandler()
	a.commands = sync.OnceValue(a.makeCommands)
	a.console.Provide(console.Around{
		Handler: a.handler, Commands: a.commands, Settings: a.settings, Version: o.Version,
		Backup: a.source().Download, Restore: backup.RestoreLine(a.config.Database.URL), Elsewhere: a.source().OutsideFolder,
		Lab: o.Lab, LabWorld: o.LabWorld, JobKinds: JobKinds,
	})
	return a, nil
}

// buildServices makes identity and the services, brings their tables up to date
// and registers what they hand over.
func (a *App) buildServices(ctx context.Context) error {
	var err error
	if a.identity, err = a.newIdentity(); err != nil {
		return err
	}
	a.onClose(a.identity.Close)
	a.grants = grants.New(a.world, a.identity)
	a.modules = services(a.world, a.identity, a.grants, forge.New(a.world, a.identity, a.config.Forge), a.config)
	stop := readiness.Pace(a.modules)
	a.onClose(func() error { stop(); return nil })
	a.readiness = readiness.New(readiness.Options{
		Stores: a.world.CheckStores, Modules: a.modules, Draining: a.draining.Load, Log: a.world.Telemetry.Log,
	})
	if err := a.migrate(ctx); err != nil {
		return err
	}
	if err := a.checkKey(ctx); err != nil {
		return err
	}
	a.world.Jobs.Register(append(a.identity.Jobs(), a.grants.Jobs()...)...)
	a.identity.Register(a.modules...)
	for _, m := range a.modules {
		a.world.Jobs.Register(m.Jobs...)
		if m.Close != nil {
			a.onClose(m.Close)
		}
	}
	return nil
}

func (a *App) newIdentity() (*identity.Identity, error) {
	o := identity.OptionsFor(a.world)
	o.SessionClock = clock.Real()
	o.ScopeBase, o.Passwords = a.ScopeBase, a.options.Passwords
	signIn, err := oidc.New(oidc.Options{
		Config: a.config.Identity.OIDC, Clock: a.world.Clock, Gate: a.world.Outbound,
		Key: a.world.Seal.ProofKey("identity/oidc"),
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if signIn != nil {
		a.onClose(func() error { signIn.Close(); return nil })
	} else if a.config.Identity.OIDC.Issuer != "" {
		a.world.Telemetry.Log.Warn("offline: sign-in at identity.oidc.issuer is turned off, it is not on loopback")
	}
	o.SignIn = signIn
	i := identity.New(o)
	i.ShowCaches(a.world.ShowCache)
	return i, nil
}

// URL is the address of this world as clients see it, without a trailing slash;
// empty until it is served, unless base_url says it.
func (a *App) URL() string { return a.server.URL() }

// Address is where the plain listener is bound, empty before.
func (a *App) Address() string { return a.server.Address() }

// HTTPSURL is the address of the TLS listener, by a name of its certificate; empty when there is none.
func (a *App) HTTPSURL() string {
	c := a.config
	return publicaddress.OfCertificate(a.server.HTTPSURL(), c.BaseURL, c.Listen.CertFile, c.Listen.KeyFile)
}

// CAFile is the root certificate clients of the TLS listener have to trust.
func (a *App) CAFile() string { return a.server.CAFile() }

// ScopeBase stands before /auth/NAME in based scopes: what is configured, else the
// vendor's in the sdk dialect, else the address that was asked.
func (a *App) ScopeBase(ctx context.Context) string {
	if a.config.ScopeBase != "" {
		return strings.TrimSuffix(a.config.ScopeBase, "/")
	}
	if d := a.world.Dialect; d != nil && d.SDK() {
		return strings.TrimSuffix(d.Says(dialect.ScopeBase), "/auth/")
	}
	return a.world.URL(ctx)
}

// Outbound is one line that says what is asked outside and how to stop it.
func (a *App) Outbound() string { return a.config.Outbound() }

// Modules lists the services in order: what has a letter of the contract.
func (a *App) Modules() []module.Module { return lettered(a.modules) }

// World is what the services stand on.
func (a *App) World() *world.World { return a.world }

// Identity knows the users of this world.
func (a *App) Identity() *identity.Identity { return a.identity }

// Engine is the database the app runs on.
func (a *App) Engine() database.Engine { return a.world.DB.Engine() }

// Close ends everything that New and Start began, newest first.
func (a *App) Close() error {
	var failed []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		failed = append(failed, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(failed...)
}

func (a *App) onClose(f func() error) { a.closers = append(a.closers, f) }
