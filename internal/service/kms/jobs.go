package kms

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/jobs"
)

// rotateKind is the name of the job that rotates by schedule.
const rotateKind = Name + ".rotate"

// rotateCheck is how often the age of the key is checked.
const rotateCheck = "@every 1h"

// rotateTime bounds one run.
const rotateTime = time.Minute

// rotatePayload is empty: what is due is decided when the job runs.
type rotatePayload struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[rotatePayload]{
		Name:  rotateKind,
		About: "Makes new keys where the time to change them has come.",
		Safe:  true, MaxAttempts: 1, Timeout: rotateTime, Concurrency: 1,
		Run: func(ctx context.Context, _ jobs.Job, _ rotatePayload) error {
			_, _, err := s.rotate(ctx, s.expired)
			return err
		},
	})}
}

// expired reports whether a key has been current for rotate_every.
func (s *Service) expired(k Key) bool {
	return s.config.RotateEvery > 0 && s.world.Clock.Now().Sub(k.CreatedAt) >= s.config.RotateEvery
}

// schedule writes the schedule of the rotation, or takes out that of another setting.
func (s *Service) schedule(ctx context.Context) error {
	if s.config.RotateEvery == 0 {
		err := s.world.Jobs.Unschedule(ctx, rotateKind)
		if errors.Is(err, jobs.ErrNotFound) {
			return nil
		}
		return err
	}
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: rotateKind, Spec: rotateCheck, Kind: rotateKind, Payload: rotatePayload{},
	})
}
