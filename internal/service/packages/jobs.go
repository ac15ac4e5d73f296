package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages/attest"
)

// syncKind is the name of the job that refreshes stale packages.
const syncKind = Name + ".sync"

// syncPayload has nothing to say: what is stale is decided when it runs.
type syncPayload struct{}

// syncTime bounds one round.
const syncTime = 30 * time.Minute

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[syncPayload]{
		Name: syncKind, MaxAttempts: 1, Timeout: syncTime, Concurrency: 1,
		Run: func(ctx context.Context, _ jobs.Job, _ syncPayload) error {
			_, err := s.Sync(ctx, s.config.SyncAtMost, func(module.Progress) {})
			return err
		},
	})}
}

// start reads whom to trust and writes the schedule of the refresh.
func (s *Service) start(ctx context.Context) error {
	if s.config.TrustedRoot != "" {
		verify, err := attest.Open(s.config.TrustedRoot)
		if err != nil {
			return err
		}
		s.sources.verify = verify
	}
	if s.config.Offline || s.config.SyncEvery == 0 {
		err := s.world.Jobs.Unschedule(ctx, syncKind)
		if errors.Is(err, jobs.ErrNotFound) {
			return nil
		}
		return err
	}
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: syncKind, Spec: fmt.Sprintf("@every %s", s.config.SyncEvery), Kind: syncKind, Payload: syncPayload{},
	})
}

// syncReport says what a refresh did.
type syncReport struct {
	Checked int `json:"checked"`
	Failed  int `json:"failed"`
	// Reason is one of the failures, as an example.
	Reason string `json:"reason,omitempty"`
}

// Sync asks the registries about packages whose list is older than the
// configured time, oldest first. A registry that fails does not keep the
// others from being asked.
func (s *Service) Sync(ctx context.Context, most int, progress func(module.Progress)) (syncReport, error) {
	var report syncReport
	stale, err := stalePackages(ctx, s.world.DB, s.world.Clock.Now().Add(-s.config.FreshFor), most)
	if err != nil {
		return report, err
	}
	for i, k := range stale {
		progress(module.Progress{Done: int64(i), Total: int64(len(stale)), Note: k.String()})
		err := s.pullPackage(ctx, k)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		report.Checked++
		if err != nil && !errors.Is(err, errMissing) {
			report.Failed++
			report.Reason = err.Error()
		}
	}
	progress(module.Progress{Done: int64(len(stale)), Total: int64(len(stale))})
	return report, nil
}
