package app

import (
	"context"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/app/demo"
	"stoa.dev/stoa/internal/platform/module"
)

func (a *App) demo() *demo.World {
	return &demo.World{Dir: a.config.Data, Identity: a.identity, IDs: a.world.IDs, Modules: a.modules}
}

// DemoSeeded is who may sign in to a demo world, and the file that says the rest.
type DemoSeeded struct {
	Name     string `json:"name"`
	Password string `json:"password"`
	Env      string `json:"env"`
}

// SeedDemoPath is the command that fills an empty data folder with the demo world.
const SeedDemoPath = "seed demo"

// demoCommand is SeedDemo for a command, which a server that runs carries out: its folder is taken.
func (a *App) demoCommand() module.Command {
	return module.Command{
		Path: SeedDemoPath, Begins: true, Short: "fill an empty data folder with the demo world",
		Run: func(ctx context.Context, _ *module.Input) (any, error) {
			if err := a.SeedDemo(ctx); err != nil {
				return nil, err
			}
			if a.Address() != "" {
				if _, err := a.RefreshDemo(ctx); err != nil {
					return nil, err
				}
			}
			env, err := demo.ReadEnv(a.config.Data)
			if err != nil {
				return nil, err
			}
			return DemoSeeded{
				env["STOA_USER"], env["STOA_PASSWORD"], filepath.Join(strings.TrimSuffix(a.config.Data, "/"), demo.EnvFile),
			}, nil
		},
	}
}

// SeedDemo fills a data folder that has no users yet with the demo world.
func (a *App) SeedDemo(ctx context.Context) error {
	if err := a.config.CheckDemo(); err != nil {
		return err
	}
	return a.demo().Seed(ctx)
}

// RefreshDemo records where the demo world can be reached this time, and replaces
// credentials that no longer work.
func (a *App) RefreshDemo(ctx context.Context) (map[string]string, error) {
	return a.demo().Refresh(ctx, map[string]string{
		"STOA_URL": a.URL(), "STOA_HTTPS_URL": a.HTTPSURL(),
		"STOA_CA_FILE": a.CAFile(), "STOA_KMS_SOCKET": a.config.Listen.KMS,
	})
}
