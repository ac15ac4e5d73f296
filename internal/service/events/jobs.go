package events

import (
	"context"

	"stoa.dev/stoa/internal/platform/jobs"
)

const sweepKind = Name + ".sweep"

// sweepPayload is empty: what is due follows from the clock.
type sweepPayload struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[sweepPayload]{
		Name:  sweepKind,
		About: "Deletes events that are older than what is kept.",
		Safe:  true,
		Run:   func(ctx context.Context, _ jobs.Job, _ sweepPayload) error { return s.Sweep(ctx) },
	})}
}

// start writes the schedule of the clean-up.
func (s *Service) start(ctx context.Context) error {
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: sweepKind, Spec: "@hourly", Kind: sweepKind, Payload: sweepPayload{},
	})
}

func (s *Service) close() error {
	s.loads.Close()
	return nil
}
