package snapshots

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/snapshots/demo"
	"stoa.dev/stoa/internal/service/snapshots/events"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
)

// demo fills the demo world, which also has two deployments.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	user, err := s.identity.UserByName(ctx, d.User)
	if err != nil {
		return err
	}
	t := userTenant(user.ID)
	now := s.world.Clock.Now().Truncate(demo.Step)
	if _, err := s.Submit(ctx, t, submission{meta: demo.Meta(), series: demo.Series(now)}); err != nil {
		return err
	}
	if local, ok := s.backend.(*metrics.Local); ok {
		// Worlds that are made of the demo share blocks; they would copy the log.
		if err := local.Compact(ctx); err != nil {
			return err
		}
	}
	for hours, title := range map[time.Duration]string{5: "Deployed checkout 2.1", 14: "Deployed search 1.8"} {
		happened := now.Add(-hours * time.Hour)
		if s.world.Clock.Now().Sub(happened) > s.config.Retention {
			continue // it would not be kept
		}
		e := events.Event{Title: title, Text: title, Happened: happened.Unix(), Tags: []string{"env:prod", "deploy"}}
		if _, err := s.PostEvent(ctx, t, e); err != nil {
			return err
		}
	}
	return nil
}
