package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/choice"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/cli/laststart"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/app/settings"
)

// serveFlags are the flags that override the configuration.
type serveFlags struct {
	listen, https, kms, dialect, log string
	demo, offline                    bool
}

func (p *Program) serve() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve all services until interrupted",
		Long: "Serve all services until interrupted. An address and a dialect that neither flags nor the configuration\n" +
			"name are those of the last start of the folder, or the dialect of the world that it was exported from.",
		Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runServe(c.Context(), f) },
	}
	addServeFlags(c, &f)
	return c
}

// addServeFlags declares what serve and start have in common.
func addServeFlags(c *cobra.Command, f *serveFlags) {
	flags := c.Flags()
	flags.StringVar(&f.listen, "listen", "", "`address` to listen on (default 127.0.0.1:8080)")
	flags.StringVar(&f.https, "https", "",
		"`address` for HTTPS; the certificate comes from a local authority unless configured")
	flags.StringVar(&f.kms, "kms-socket", "", "`path` of the key-management socket")
	flags.Var(&choice.Flag{Value: &f.dialect, Options: []string{"neutral", "sdk"}}, "dialect",
		"neutral, or sdk to accept and answer the spellings of official SDKs")
	flags.Var(&choice.Flag{Value: &f.log, Options: []string{"text", "json"}}, "log", "log format: text or json")
	flags.BoolVar(&f.offline, "offline", false,
		"connect to loopback only: no registries, deliveries, cloud key services, upstream models")
	flags.BoolVar(&f.demo, "demo", false, "fill an empty data folder with a demo world (loopback only)")
}

// apply lays the flags over the configuration.
func (f serveFlags) apply(c *app.Config) {
	for _, row := range []struct {
		flag   string
		target *string
	}{
		{f.listen, &c.Listen.HTTP},
		{f.https, &c.Listen.HTTPS},
		{f.kms, &c.Listen.KMS},
		{f.dialect, &c.Dialect},
		{f.log, &c.Log.Format},
	} {
		if row.flag != "" {
			*row.target = row.flag
		}
	}
	c.Offline = c.Offline || f.offline
	if !f.demo {
		return
	}
	// A demo world shows everything there is.
	if c.Listen.KMS == "" {
		c.Listen.KMS = filepath.Join(c.Data, "kms.sock")
	}
	if c.Listen.HTTPS == "" {
		c.Listen.HTTPS = anyPort
	}
}

// anyPort is where a demo world is served by HTTPS unless told otherwise.
const anyPort = "127.0.0.1:0"

// place lays the flags over the configuration, and has the server listen where it did
// the last time unless the operator says otherwise now.
func (f serveFlags) place(c *app.Config) error {
	if c.Listen.HTTP == listen.DefaultConfig().HTTP {
		address, last, err := laststart.HTTP.Recall(c.Data)
		if err != nil {
			return err
		}
		if c.Listen.HTTP = cmp.Or(address, c.Listen.HTTP); f.listen == "" {
			c.Listen.LastHTTP = last
		}
	}
	f.apply(c)
	if c.Listen.HTTPS != anyPort {
		return nil
	}
	_, last, err := laststart.HTTPS.Recall(c.Data)
	c.Listen.LastHTTPS = last
	return err
}

// dialectBefore has the server speak as at the last start of its folder, or as the world that the folder was exported
// from, where neither a flag nor the configuration names a dialect.
func (p *Program) dialectBefore(f *serveFlags, c app.Config) error {
	if f.dialect != "" || app.Origins(p.configFile, p.Environ, c)["dialect"] != settings.FromDefault {
		return nil
	}
	last, err := laststart.RecallFlags(c.Data)
	f.dialect = last["dialect"]
	return err
}

func (p *Program) runServe(ctx context.Context, f serveFlags) (err error) {
	defer func() {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = nil // a stop signal during the start ends as one later
		}
	}()
	config, err := p.load()
	if err != nil {
		return err
	}
	// Sockets and files below the data folder are shown to readers who may be in
	// another folder.
	if config.Data, err = filepath.Abs(config.Data); err != nil {
		return err
	}
	if err := p.dialectBefore(&f, config); err != nil {
		return err
	}
	if err := f.place(&config); err != nil {
		return err
	}
	if err := f.refused(ctx, config); err != nil {
		return err
	}
	options := p.options(config)
	options.Bind = true
	a, err := p.openApp(ctx, options, datafolder.Serve)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()

	// An interrupted first start leaves a whole world or none, and prints the
	// password: what is begun here is ended.
	whole := context.WithoutCancel(ctx)
	if f.demo {
		err = a.SeedDemo(whole)
	} else {
		err = p.firstAdmin(whole, a)
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	memlimit.Apply()
	return a.Run(ctx, func() error {
		if err := p.ready(ctx, a, f, config.Dialect); err != nil {
			return err
		}
		p.started()
		// Starting needs more memory than serving.
		memlimit.ReleaseStart(ctx)
		return nil
	})
}

// refused returns what keeps the server from starting that is known before
// anything is opened.
func (f serveFlags) refused(ctx context.Context, served app.Config) error {
	if err := unserved(ctx, served.Data); err != nil || !f.demo {
		return err
	}
	return served.CheckDemo()
}

func (p *Program) firstAdmin(ctx context.Context, a *app.App) error {
	name, password, err := a.FirstAdmin(ctx)
	if err != nil || name == "" {
		return err
	}
	fmt.Fprintf(p.Stdout, firstStart+"\n", name, password)
	return nil
}

// firstStart is the line with the administrator's password, which start reads
// back from the log.
const firstStart = "First start: user %s with password %s (shown once)"
