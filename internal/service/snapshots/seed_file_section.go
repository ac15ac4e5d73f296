package snapshots

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/snapshots/seedfile"
)

// seeds is the section of metrics. A written file has those of users, not of teams.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("metrics", "Series of a metric", s.seedSeries, s.writeSeries)}
}

func (s *Service) writeSeries(ctx context.Context) (list []seedfile.Series, err error) {
	if smallbuild.Enabled {
		return nil, nil // it takes no points
	}
	users, err := s.identity.Users(ctx, 0, seedfile.MaxUsers)
	if err != nil {
		return nil, err
	}
	now := s.world.Clock.Now()
	for _, u := range users {
		t := userTenant(u.ID)
		o := seedfile.Owner{
			Backend: s.backend, Org: t.Org, User: u.Name, Meta: source{s, t}.Meta,
			From: now.Add(-s.config.Retention).UnixMilli(), To: now.Add(s.config.PointsFuture).UnixMilli(),
		}
		if list, err = o.AppendSeries(ctx, list); err != nil {
			return nil, err
		}
	}
	return list, nil
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
