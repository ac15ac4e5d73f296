package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/console/manual"
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/world"
)

// Options are what an App is built from.
type Options struct {
	Config  Config
	Version string
	// LogTo receives the log; nil discards it.
	LogTo io.Writer
	// Bind takes the addresses before anything else, so that a server that
	// cannot have them leaves no folder behind.
	Bind bool
	// Quiet keeps everything below warnings out of the log.
	Quiet bool
	// ThrowAway says why found package registries are not asked whatever the
	// listeners are, such as for a world that lives for one command.
	ThrowAway string
	// Clock and IDs replace the machine's own, for tests.
	Clock clock.Clock
	IDs   *ids.Source
}

// App is the running whole.
type App struct {
	options  Options
	config   Config
	world    *world.World
	identity *identity.Identity
	modules  []module.Module
	console  *console.Console
	manual   *manual.Manual
	// authority signs for the TLS listener; nil when not needed.
	authority *authority.Authority
	listeners listeners
	// urls are known once the listeners are open.
	url, httpsURL atomic.Pointer[string]

	closers []func() error
}

// New opens the data folder, applies migrations and builds every part. Nothing
// runs yet, but commands can be run.
func New(ctx context.Context, o Options) (_ *App, err error) {
	if err := o.Config.Validate(); err != nil {
		return nil, err
	}
	a := &App{options: o, config: o.Config}
	a.config.Packages.Reachable = cmp.Or(o.ThrowAway, a.config.reachable())
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if o.Bind {
		if err := a.bind(ctx); err != nil {
			return nil, err
		}
	}
	if err := a.openWorld(ctx); err != nil {
		return nil, err
	}
	if err := a.openAuthority(); err != nil {
		return nil, err
	}
	a.identity = a.newIdentity()
	a.onClose(a.identity.Close)
	a.modules = services(a.world, a.identity, forge.New(a.world, a.identity, a.config.Forge), a.config)
	if err := a.migrate(ctx); err != nil {
		return nil, err
	}
	if err := a.checkKey(ctx); err != nil {
		return nil, err
	}
	a.world.Jobs.Register(a.identity.Jobs()...)
	for _, m := range a.modules {
		a.identity.Register(m)
		a.world.Jobs.Register(m.Jobs...)
		if m.Close != nil {
			a.onClose(m.Close)
		}
	}
	a.console = console.New(a.world, a.identity, a.config.Console, a.Modules())
	a.identity.ProvidePages(a.console.Pages())
	a.manual = manual.New(a.world, a.Modules(), a.console.Style())
	return a, nil
}

func (a *App) openWorld(ctx context.Context) error {
	t, err := a.newTelemetry()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	a.onClose(func() error { return t.Close(context.Background()) })
	d, err := dialect.Load(a.config.Dialect)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	a.world, err = world.Open(ctx, world.Options{
		Dir: a.config.Data, RootKey: a.config.RootKey,
		Database: a.config.Database, Blob: a.config.Blob, Deliver: a.config.Deliver, Offline: a.config.Offline,
		URL: a.URL, Clock: a.options.Clock, IDs: a.options.IDs,
		Dialect: d, Telemetry: t, Memory: budget.New(budget.MemoryOptions(memoryLimit().Bytes)),
	})
	if errors.Is(err, database.ErrUnavailable) {
		return module.Fail(module.Failed, a.databaseAdvice(), "%w", err)
	}
	if err != nil {
		return err
	}
	a.onClose(a.world.Close)
	return nil
}

// databaseAdvice is the next step where the database cannot be opened.
func (a *App) databaseAdvice() string {
	if a.config.Database.URL == "" {
		return "restore stoa.db from a backup, or choose another folder with --data"
	}
	return "check --database (database.url), and that PostgreSQL 15 or newer answers there"
}

func (a *App) newTelemetry() (*telemetry.Telemetry, error) {
	level := a.config.Log.level()
	if a.options.Quiet {
		level = max(level, quietLevel)
	}
	return telemetry.New(telemetry.Options{
		Log: a.options.LogTo, Format: telemetry.Format(a.config.Log.Format), Level: level,
		OTLPEndpoint: a.config.Log.OTLP, Clock: a.options.Clock,
	})
}

func (a *App) newIdentity() *identity.Identity {
	o := identity.OptionsFor(a.world)
	o.ScopeBase = a.ScopeBase
	return identity.New(o)
}

// migrate brings every table up to date, the platform's first.
func (a *App) migrate(ctx context.Context) error {
	sets := append(world.Migrations(), identity.Migrations())
	for _, m := range a.modules {
		if m.Migrations.Files != nil {
			sets = append(sets, m.Migrations)
		}
	}
	return a.world.DB.Migrate(ctx, sets...)
}

// checkKey refuses a root key that is not the one of the processes that share
// the database: it could not open what they sealed, nor they what it seals.
func (a *App) checkKey(ctx context.Context) error {
	err := a.world.CheckKey(ctx)
	if errors.Is(err, world.ErrForeignKey) {
		return module.Fail(module.Config, "set root_key (STOA_ROOT_KEY) to a copy of the first server's root.key", "%w", err)
	}
	return err
}

// Outbound is one line that says what is asked outside and how to stop it.
func (a *App) Outbound() string { return a.config.Outbound() }

// Commands describes every command of identity and the services.
func Commands() []module.Command { return commands(blueprint()) }

// CommandGroups describes the first words of the services' commands.
func CommandGroups() []module.CommandGroup {
	_, _, modules := blueprint()
	var list []module.CommandGroup
	for _, m := range modules {
		list = append(list, m.CommandGroups...)
	}
	return list
}

// Services describes every service, without a store: what has a letter of the
// contract.
func Services() []module.Module {
	_, _, modules := blueprint()
	return lettered(modules)
}

// Tables describes everything that answers requests, without a store: the
// services, the repositories, the console and the documentation.
func Tables() []module.Module {
	w, identity, modules := blueprint()
	pages := console.New(w, identity, console.DefaultConfig(), lettered(modules))
	return append(modules, pages.Module(), manual.New(w, lettered(modules), pages.Style()).Module())
}

// blueprint builds everything on a world without a store.
func blueprint() (*world.World, *identity.Identity, []module.Module) {
	w := world.Blueprint(world.Options{})
	identity := identity.New(identity.Options{Clock: w.Clock, IDs: w.IDs, Dialect: w.Dialect})
	c := DefaultConfig()
	return w, identity, services(w, identity, forge.New(w, identity, c.Forge), c)
}

func commands(w *world.World, identity *identity.Identity, modules []module.Module) []module.Command {
	list := append(identity.Commands(), w.Commands()...)
	for _, m := range modules {
		list = append(list, m.Commands...)
	}
	return list
}

// RunCommand runs one command in this process.
func (a *App) RunCommand(ctx context.Context, path string, values map[string][]string, progress func(module.Progress)) (any, error) {
	c, err := a.command(path)
	if err != nil {
		return nil, err
	}
	return admin.Run(ctx, c, values, progress)
}

// AskCommand tells why the command would be refused, nil when it would not.
func (a *App) AskCommand(ctx context.Context, path string, values map[string][]string) error {
	c, err := a.command(path)
	if err != nil {
		return err
	}
	return admin.Ask(ctx, c, values)
}

func (a *App) command(path string) (module.Command, error) {
	for _, c := range commands(a.world, a.identity, a.modules) {
		if c.Path == path {
			return c, nil
		}
	}
	return module.Command{}, module.Fail(module.Usage, "see stoa --help", "there is no command %q", path)
}

// Modules lists the services in order: what has a letter of the contract.
func (a *App) Modules() []module.Module { return lettered(a.modules) }

func lettered(modules []module.Module) []module.Module {
	return slices.DeleteFunc(slices.Clone(modules), func(m module.Module) bool { return m.Letter == "" })
}

// World is what the services stand on.
func (a *App) World() *world.World { return a.world }

// Identity knows the people of this world.
func (a *App) Identity() *identity.Identity { return a.identity }

// Engine is the database the app runs on.
func (a *App) Engine() database.Engine { return a.world.DB.Engine() }

// Close ends everything that New and Run began, newest first.
func (a *App) Close() error {
	var failed []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		failed = append(failed, a.closers[i]())
	}
	a.closers = nil
	return errors.Join(failed...)
}

func (a *App) onClose(f func() error) { a.closers = append(a.closers, f) }
