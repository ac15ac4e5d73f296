package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/cli/laststart"
	"stoa.dev/stoa/internal/app/cli/plain"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/app/integrity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

func (p *Program) restore() *cobra.Command {
	return &cobra.Command{
		Use: "restore FOLDER", Short: "Bring back a backup into a new data folder",
		Long: "Every file is compared with the backup's list first. The data folder must be new or empty, and on " +
			"PostgreSQL the database, too. What was restored is read whole, as stoa check does. The addresses of the " +
			"server that was backed up are left out, because it may still be running.",
		Args: arguments.Words("FOLDER"),
		RunE: func(c *cobra.Command, args []string) error { return p.runRestore(c.Context(), args[0]) },
	}
}

func (p *Program) runRestore(ctx context.Context, folder string) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	if config.Data, err = filepath.Abs(config.Data); err != nil {
		return err
	}
	m, err := backup.Read(ctx, folder)
	if err != nil {
		return err
	}
	switch postgres := config.Database.URL != ""; {
	case m.Engine == database.SQLite && postgres:
		return module.Fail(module.Config, "leave --database out",
			"the backup is of a server on SQLite and goes into a folder; it is not turned into a PostgreSQL database")
	case m.Engine != database.SQLite && !postgres:
		return module.Fail(module.Config, "name an empty PostgreSQL database with --database",
			"the backup is of a server on PostgreSQL")
	}
	if err := backup.Files(ctx, folder, config.Data, m); err != nil {
		return err
	}
	// The original may still be running: its addresses are not those of its copy.
	if err := errors.Join(laststart.ForgetAddresses(config.Data), demo.ForgetAddresses(config.Data)); err != nil {
		return err
	}
	report, err := p.openRestored(ctx, config, folder, m)
	if err != nil {
		return err
	}
	if err := p.printValue(report); err != nil {
		return err
	}
	if err := report.Failure(); err != nil || p.json {
		return err
	}
	next := plain.Given{Data: config.Data, Config: p.configFile, Database: p.database}.Hint("next: stoa start --wait")
	_, err = fmt.Fprintln(p.Stdout, next)
	return err
}

// openRestored loads the rows, if they are not in the folder, and reads everything.
func (p *Program) openRestored(
	ctx context.Context, c app.Config, folder string, m backup.Manifest,
) (report integrity.Report, err error) {
	a, err := p.openForCommand(ctx, c, datafolder.Serve)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if m.Engine != database.SQLite {
		if err := backup.Rows(ctx, a.World().DB, folder, m); err != nil {
			return report, err
		}
	}
	result, err := a.RunCommand(ctx, "check", nil, nil)
	if err != nil {
		return report, err
	}
	report, _ = result.(integrity.Report)
	return report, nil
}
