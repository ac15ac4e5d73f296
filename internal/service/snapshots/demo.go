package snapshots

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/snapshots/demo"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// demo fills the demo world, which also has two deployments.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	user, err := s.identity.UserByName(ctx, d.User)
	if err != nil {
		return err
	}
	t := userTenant(user.ID)
	now := s.world.Clock.Now().Truncate(demo.Step)
	in := submission{meta: map[string]query.Meta{
		"system.cpu.user":       {Type: query.Gauge, Unit: "percent"},
		"system.mem.used":       {Type: query.Gauge, Unit: "byte"},
		"http.requests":         {Type: query.Count, Interval: 60, Unit: "request"},
		"http.request.duration": {Type: query.DistribType, Unit: "millisecond"},
	}}
	in.series = demo.Series(now)
	if _, err := s.Submit(ctx, t, in); err != nil {
		return err
	}
	for hours, title := range map[time.Duration]string{5: "Deployed checkout 2.1", 14: "Deployed search 1.8"} {
		e := Event{
			Title: title, Text: title, Happened: now.Add(-hours * time.Hour).Unix(),
			Tags: []string{"env:prod", "deploy"},
		}
		if _, err := s.PostEvent(ctx, t, e); err != nil {
			return err
		}
	}
	return nil
}
