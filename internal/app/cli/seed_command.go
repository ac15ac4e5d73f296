package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/app/cli/arguments"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/demo"
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

func (p *Program) seedDemo(ctx context.Context) (err error) {
	config, err := p.load()
	if err != nil {
		return err
	}
	a, err := p.openForCommand(ctx, config, datafolder.Begin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.SeedDemo(ctx); err != nil {
		return err
	}
	env, err := demo.ReadEnv(config.Data)
	if err != nil {
		return err
	}
	return p.printValue(struct {
		Name     string `json:"name"`
		Password string `json:"password"`
		Env      string `json:"env"`
	}{env["STOA_USER"], env["STOA_PASSWORD"], filepath.Join(strings.TrimSuffix(config.Data, "/"), demo.EnvFile)})
}
