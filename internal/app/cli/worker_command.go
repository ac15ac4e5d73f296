package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/memlimit"
)

func (p *Program) worker() *cobra.Command {
	return &cobra.Command{
		Use:   "worker",
		Short: "Run pipeline jobs from a shared PostgreSQL database until interrupted",
		Long: "A worker needs the servers' database (--database), their root key (root_key), their repositories " +
			"(forge.dir), their blobs (blob.store: s3) and their address (base_url), and a data folder of its own.",
		Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error { return p.runWorker(c.Context()) },
	}
}

func (p *Program) runWorker(ctx context.Context) (err error) {
	config, err := p.load()
	if err != nil {
		return err
	}
	if config.Data, err = filepath.Abs(config.Data); err != nil {
		return err
	}
	if err := config.CheckWorker(); err != nil {
		return err
	}
	a, err := p.openApp(ctx, p.options(config), datafolder.Serve)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	memlimit.Apply()
	return a.Work(ctx, func() error {
		fmt.Fprintln(p.Stdout, "ready: taking jobs")
		return nil
	})
}
