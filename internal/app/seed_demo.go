package app

import (
	"context"

	"stoa.dev/stoa/internal/app/demo"
)

func (a *App) demo() *demo.World {
	return &demo.World{Dir: a.config.Data, Identity: a.identity, IDs: a.world.IDs, Modules: a.modules}
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
