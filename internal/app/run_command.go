package app

import (
	"context"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/identity"
	operator "stoa.dev/stoa/internal/identity/commands"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
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

// AskCommand returns why the command would be refused, nil when it would not.
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

func commands(w *world.World, identity *identity.Identity, modules []module.Module) []module.Command {
	list := append(operator.All(identity, grants.New(w, identity)), w.Commands()...)
	for _, m := range modules {
		list = append(list, m.Commands...)
	}
	return append(list, seedCommands(identity, modules)...)
}
