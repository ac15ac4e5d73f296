package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/app/rpc"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/faultrule"
)

// Run serves until the context ends, then lets requests in flight finish.
// ready is called once requests are answered.
func (a *App) Run(ctx context.Context, ready func() error) error {
	if err := a.Start(ctx); err != nil {
		return err
	}
	if ready != nil {
		if err := ready(); err != nil {
			return err
		}
	}
	<-ctx.Done()
	a.draining.Store(true)
	a.world.Telemetry.Log.Info("server stopping",
		"drain", a.config.Listen.Drain.String(), "grace", listen.DrainTime.String())
	// By the machine's clock, as load balancers are.
	return clock.Sleep(context.WithoutCancel(ctx), clock.Real(), a.config.Listen.Drain)
}

// Start begins background work and opens the listeners. Requests are answered
// when it returns.
func (a *App) Start(ctx context.Context) error {
	if err := a.StartJobs(ctx); err != nil {
		return err
	}
	return a.Listen(ctx)
}

// StartJobs begins background work: what an earlier process left, what the
// services do by themselves, and the queue of jobs.
func (a *App) StartJobs(ctx context.Context) error {
	if a.options.FaultRules != nil {
		// Not before: another app may still answer with the same rules.
		a.options.FaultRules.Provide(func() *faultrule.Catalogue { return faultrule.NewCatalogue(a.modules) })
	}
	if err := a.world.Resume(ctx); err != nil {
		return err
	}
	for _, m := range a.modules {
		if m.Start == nil {
			continue
		}
		err := m.Start(ctx)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", ErrConfig, err) // a file that a setting names
		}
		if err != nil {
			return fmt.Errorf("start %s: %w", m.Name, err)
		}
	}
	jobs := a.world.Jobs
	err := errors.Join(a.identity.Schedule(ctx, jobs), a.grants.Schedule(ctx, jobs), a.world.Schedule(ctx),
		a.world.Deliver.Start(ctx))
	if err != nil {
		return err
	}
	if err := jobs.Start(context.WithoutCancel(ctx), a.config.Workers); err != nil {
		return err
	}
	// Before the services that the jobs use, which are closed after this.
	a.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), listen.DrainTime)
		defer cancel()
		return jobs.Stop(ctx)
	})
	return nil
}

// Listen opens the configured listeners: HTTP and HTTPS unless the options leave
// them out, the key-management socket, and the admin socket of the data folder.
func (a *App) Listen(ctx context.Context) error {
	if !a.options.NoHTTP {
		if err := a.listenHTTP(ctx); err != nil {
			return err
		}
	}
	if err := a.listenRPC(); err != nil {
		return err
	}
	return a.listenAdmin()
}

func (a *App) listenHTTP(ctx context.Context) error {
	if err := a.server.Bind(ctx); err != nil {
		return err
	}
	if err := a.server.LoadCertificates(); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	a.onClose(a.server.Shutdown)
	a.server.Serve(a.handler, a.world.Telemetry.Log)
	warning := a.config.Listen.LinkWarning(a.config.BaseURL, a.URL())
	if warning != "" && a.options.LabWorld == "" && a.options.ThrowAway == "" {
		a.world.Telemetry.Log.Warn(warning, "next", "set base_url (STOA_BASE_URL) to the address that clients use")
	}
	return nil
}

// listenRPC serves every module's procedures on the socket.
func (a *App) listenRPC() error {
	path := a.config.Listen.KMS
	if path == "" {
		return nil
	}
	access, err := a.config.Listen.KMSAccess()
	if err != nil {
		return err
	}
	o := a.rpcOptions()
	o.Called = a.options.Called
	s, err := rpc.ListenSocket(path, access, o)
	if err != nil {
		return err
	}
	a.onClose(s.Close)
	return nil
}

func (a *App) rpcOptions() rpc.Options {
	return rpc.Options{
		Modules: a.modules, Identity: a.identity, Telemetry: a.world.Telemetry, Clock: a.world.Clock,
		FaultRules: a.options.FaultRules, Journal: a.world.Journal, NoWaiting: a.options.LabWorld != "",
	}
}

func (a *App) listenAdmin() error {
	status := func() admin.Status {
		return admin.Status{
			PID: os.Getpid(), Version: a.options.Version, URL: a.URL(), Dialect: a.config.Dialect,
			HTTPSURL: a.HTTPSURL(), CAFile: a.CAFile(), KMSSocket: a.config.Listen.KMS,
		}
	}
	defaults := DefaultConfig()
	s, err := admin.Listen(a.config.Data, a.commands, status, settings.Printer(&a.config, &defaults))
	if err != nil {
		return err
	}
	a.onClose(func() error {
		if a.options.Journal == nil {
			a.world.Journal.Close() // ends who watches it
		}
		ctx, cancel := context.WithTimeout(context.Background(), listen.DrainTime)
		defer cancel()
		return s.Close(ctx)
	})
	return nil
}
