package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/platform/module"
)

func (p *Program) seed() *cobra.Command {
	c := &cobra.Command{Use: "seed", Short: "Fill a data folder", Args: arguments.KnownCommand}
	c.AddCommand(&cobra.Command{
		Use: "demo", Short: "Fill an empty data folder with the demo world", Args: arguments.Words(),
		RunE: func(c *cobra.Command, _ []string) error { return p.seedDemo(c.Context()) },
	})
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

// seedDemo has the server of the folder do it, or does it here, where the folder may be made.
func (p *Program) seedDemo(ctx context.Context) error {
	config, err := p.load()
	if err != nil {
		return err
	}
	var o owner
	client, _, err := admin.Dial(ctx, config.Data)
	switch {
	case err == nil:
		o = remoteOwner{client}
	case errors.Is(err, admin.ErrNoServer):
		a, err := p.openForCommand(ctx, config, datafolder.Begin)
		if err != nil {
			return err
		}
		o = localOwner{a}
	default:
		return err
	}
	result, err := o.run(ctx, module.Command{Path: demo.CommandPath}, nil, nil)
	if err = errors.Join(err, o.close()); err != nil {
		return err
	}
	return p.printAlone(result, "")
}
