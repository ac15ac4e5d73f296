package app

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/app/doctor/machine"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/module"
)

// RunCommand runs one command in this process.
func (a *App) RunCommand(
	ctx context.Context, path string, values map[string][]string, progress func(module.Progress),
) (any, error) {
	c, err := a.command(path)
	if err != nil {
		return nil, err
	}
	return admin.Run(ctx, c, values, progress)
}

// CheckCommand returns why the command would be refused, nil when it would not.
func (a *App) CheckCommand(ctx context.Context, path string, values map[string][]string) error {
	c, err := a.command(path)
	if err != nil {
		return err
	}
	return admin.CheckCommand(ctx, c, values)
}

func (a *App) command(path string) (module.Command, error) {
	for _, c := range a.commands() {
		if c.Path == path {
			return c, nil
		}
	}
	return module.Command{}, module.Fail(module.Usage, "see stoa --help", "there is no command %q", path)
}

// makeCommands are those of the parts, the copy of all, and what the doctor asks.
func (a *App) makeCommands() []module.Command {
	list := commands(parts{a.world, a.identity, a.grants, a.modules})
	list = append(list, backup.Command(a.source()), machine.Command(a.config.Machine()), demo.Command(a.config.Data, a))
	for n, c := range list {
		list[n].Run = a.onRecord(c)
	}
	return list
}

// onRecord runs a command so that what it changes is in the audit trail. Flags are left
// out: they may hold secrets.
func (a *App) onRecord(c module.Command) func(context.Context, *module.Input) (any, error) {
	return func(ctx context.Context, in *module.Input) (any, error) {
		var object []string
		for _, arg := range c.Args {
			object = append(object, in.Named(arg.Name)...)
		}
		return c.Run(audit.Command(ctx, a.world.Clock, audit.Entry{
			Action: strings.ReplaceAll(c.Path, " ", "."), Object: strings.Join(object, " "),
		}), in)
	}
}

// source is what a backup copies.
func (a *App) source() backup.Source {
	s := backup.Source{World: a.world, Version: a.options.Version}
	switch c := a.config; {
	case c.Blob.Store == blob.KindS3:
		s.OutsideFolder = "the bucket (blob.store: s3)"
	case c.Forge.Dir != "":
		s.OutsideFolder = "the folder of the repositories (forge.dir)"
	case strings.HasPrefix(c.Database.URL, "sqlite:"):
		s.OutsideFolder = "the database file (database.url)"
	}
	return s
}
