package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa.dev/stoa/internal/app/admin"
)

const (
	// drainTime is how long requests in flight may take after a stop signal.
	drainTime = 10 * time.Second
	// headerTime, bodyTime and idleTime free connections of slow clients.
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute

	maxHeaderBytes = 64 << 10

	quietLevel = slog.LevelWarn
)

// Start begins background work and opens the listeners. Requests are answered
// when it returns.
func (a *App) Start(ctx context.Context) error {
	if err := a.world.Resume(ctx); err != nil {
		return err
	}
	for _, m := range a.modules {
		if m.Start == nil {
			continue
		}
		if err := m.Start(ctx); err != nil {
			return fmt.Errorf("start %s: %w", m.Name, err)
		}
	}
	if err := errors.Join(a.identity.Schedule(ctx, a.world.Jobs), a.world.Deliver.Start(ctx)); err != nil {
		return err
	}
	if err := a.world.Jobs.Start(context.WithoutCancel(ctx), a.config.Workers); err != nil {
		return err
	}
	if err := a.listen(ctx); err != nil {
		return err
	}
	if err := a.listenRPC(); err != nil {
		return err
	}
	return a.listenAdmin()
}

// Run serves until the context ends, then lets requests in flight finish.
// ready is called once requests are answered.
func (a *App) Run(ctx context.Context, ready func() error) error {
	boundMemory(memoryLimit())
	if err := a.Start(ctx); err != nil {
		return err
	}
	if ready != nil {
		if err := ready(); err != nil {
			return err
		}
	}
	// Starting needs more memory than serving: hashing the first password alone
	// takes 19 MiB. An idle server gives it back at once.
	debug.FreeOSMemory()
	releaseProgram()
	<-ctx.Done()
	a.world.Telemetry.Log.Info("stopping", "grace", drainTime.String())
	return nil
}

// bind takes the addresses, unless they are taken already.
func (a *App) bind(ctx context.Context) (err error) {
	if a.listeners.plain != nil {
		return nil
	}
	if a.listeners, err = a.config.Listen.open(ctx); err != nil {
		return err
	}
	a.onClose(a.listeners.close)
	return nil
}

// listen serves the plain listener and, when configured, the TLS one.
func (a *App) listen(ctx context.Context) error {
	if err := a.bind(ctx); err != nil {
		return err
	}
	root := a.withRPC(a.handler())
	a.setURL(&a.url, "http", a.listeners.plain.Addr())
	a.serve(a.listeners.plain, a.newServer(root))
	if a.listeners.secure == nil {
		return nil
	}
	config, err := a.tlsConfig()
	if err != nil {
		return err
	}
	a.setURL(&a.httpsURL, "https", a.listeners.secure.Addr())
	server := a.newServer(withHSTS(root))
	server.TLSConfig = config
	a.serveTLS(a.listeners.secure, server)
	return nil
}

func (a *App) newServer(root http.Handler) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler: root, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeaderBytes, Protocols: &protocols,
		ErrorLog: slog.NewLogLogger(a.world.Telemetry.Log.Handler(), slog.LevelDebug),
	}
}

func (a *App) serve(l net.Listener, s *http.Server) {
	a.background(s, func() error { return s.Serve(l) })
}

func (a *App) serveTLS(l net.Listener, s *http.Server) {
	a.background(s, func() error { return s.ServeTLS(l, "", "") })
}

// background serves until Close, which waits for requests in flight.
func (a *App) background(s *http.Server, serve func() error) {
	var group errgroup.Group
	group.Go(func() error {
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	a.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			a.world.Telemetry.Log.Warn("requests cut off", "after", drainTime.String())
			return errors.Join(s.Close(), group.Wait())
		}
		return group.Wait()
	})
}

func (a *App) listenAdmin() error {
	status := func() admin.Status {
		return admin.Status{
			PID: os.Getpid(), Version: a.options.Version, URL: a.URL(), Dialect: a.config.Dialect,
			HTTPSURL: a.HTTPSURL(), CAFile: a.CAFile(), KMSSocket: a.config.Listen.KMS,
		}
	}
	s, err := admin.Listen(a.config.Data, commands(a.world, a.identity, a.modules), status)
	if err != nil {
		return err
	}
	a.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		return s.Close(ctx)
	})
	return nil
}
