package snapshots

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/snapshots/seedfile"
)

// seeds is the section of metrics, which are not written.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("metrics", "Series of a metric", s.seedSeries, nil)}
}

func (s *Service) seedSeries(ctx context.Context, _ *seed.Run, in seedfile.Series) error {
	user, err := s.identity.UserByName(ctx, in.User)
	if err != nil {
		return seed.At(err, "user")
	}
	list, meta, err := in.Metrics(s.world.Clock.Now())
	if err != nil {
		return err
	}
	left, err := s.Submit(ctx, userTenant(user.ID), submission{series: list, meta: meta})
	if err == nil && left.points > 0 {
		err = seed.At(fmt.Errorf("%d values were not kept: %q", left.points, left.warnings), "values")
	}
	return err
}
