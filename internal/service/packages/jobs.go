package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/attest"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/graphstore"
)

// syncKind is the name of the job that refreshes stale packages.
const syncKind = Name + ".sync"

// syncPayload has nothing to say: what is stale is decided when it runs.
type syncPayload struct{}

// syncTime bounds one round.
const syncTime = 30 * time.Minute

// cleanEvery is how often old graphs are looked for.
const cleanEvery = time.Hour

// advisoriesKind is the name of the job that reads advisories that changed.
const advisoriesKind = Name + ".advisories"

// cleanKind is the name of the job that deletes what is not asked for any more.
const cleanKind = Name + ".clean"

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[syncPayload]{
			Name:        syncKind,
			About:       "Reads the registries for new versions.",
			MaxAttempts: 1, Timeout: syncTime, Concurrency: 1,
			Run: func(ctx context.Context, _ jobs.Job, _ syncPayload) error { return s.syncRound(ctx) },
		}),
		jobs.Define(jobs.Kind[syncPayload]{
			Name:        advisoriesKind,
			About:       "Reads the sources of advisories.",
			MaxAttempts: 3, Timeout: syncTime, Concurrency: 1,
			Run: func(ctx context.Context, _ jobs.Job, _ syncPayload) error {
				_, err := s.SyncAdvisories(ctx, func(module.Progress) {})
				return err
			},
		}),
		jobs.Define(jobs.Kind[syncPayload]{
			Name:    cleanKind,
			About:   "Deletes graphs that are stale for long.",
			Timeout: syncTime, Safe: true,
			Run: func(ctx context.Context, _ jobs.Job, _ syncPayload) error {

				return graphstore.DeleteOld(ctx, s.world.DB, s.world.Clock.Now(), graphstore.MaxGraphs)

			},
		}),
	}
}

// start reads whom to trust, shows what is under way among the metrics and writes
// the schedules.
func (s *Service) start(ctx context.Context) error {
	if s.config.TrustedRoot != "" {
		verify, err := attest.Open(s.config.TrustedRoot)
		if err != nil {
			return err
		}
		s.sources.verify = verify
	}
	s.showWork()
	if err := s.schedule(ctx, cleanKind, cleanEvery); err != nil {
		return err
	}
	every := s.config.Advisories.Every
	if s.config.Advisories.From == "" || s.config.Advisories.remote() && s.config.Offline {
		every = 0
	}
	if err := s.schedule(ctx, advisoriesKind, every); err != nil {
		return err
	}
	every = s.config.SyncEvery
	if s.config.Offline {
		every = 0
	}
	return s.schedule(ctx, syncKind, every)
}

// schedule makes a job run every so often; zero never.
func (s *Service) schedule(ctx context.Context, kind string, every time.Duration) error {
	if every == 0 {
		err := s.world.Jobs.Unschedule(ctx, kind)
		if errors.Is(err, jobs.ErrNotFound) {
			return nil
		}
		return err
	}
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: kind, Spec: fmt.Sprintf("@every %s", every), Kind: kind, Payload: syncPayload{},
	})
}

// syncRound is what of a refresh fits into the time of a job. Slow registries need more for a whole one, which is no
// failure: what was left is the oldest, and so the first, of the next round.
func (s *Service) syncRound(ctx context.Context) error {
	_, err := s.Sync(ctx, s.config.SyncAtMost, func(module.Progress) {})
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return nil
	}
	return err
}

// syncReport says what a refresh did.
type syncReport struct {
	Checked int `json:"checked"`
	Failed  int `json:"failed"`
	// Reason is one of the failures, as an example.
	Reason string `json:"reason,omitempty"`
}

// tiredAfter is how many failures in a row end the round for one system.
const tiredAfter = 3

// Sync asks the registries about packages whose list is older than the
// configured time, the systems in turn and the oldest of each first. A
// registry that fails is left alone for the rest of the round and does not keep
// the others from being asked.
func (s *Service) Sync(ctx context.Context, most int, progress func(module.Progress)) (syncReport, error) {
	var report syncReport
	stale, err := s.stale(ctx, most)
	if err != nil {
		return report, err
	}
	failures := map[catalog.System]int{}
	for i, k := range stale {
		if failures[k.System] >= tiredAfter {
			continue
		}
		if s.sources.used(k.System) != nil {
			continue
		}
		progress(module.Progress{Done: int64(i), Total: int64(len(stale)), Note: k.String()})
		err := s.readPackage(ctx, k)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		report.Checked++
		failures[k.System]++
		if err == nil || errors.Is(err, errMissing) {
			failures[k.System] = 0
			continue
		}
		report.Failed++
		report.Reason = err.Error()
		// It would be the oldest in every round, and keep those behind it from being asked about.
		if err := s.passOver(ctx, k, unreadable(err)); err != nil {
			return report, err
		}
	}
	progress(module.Progress{Done: int64(len(stale)), Total: int64(len(stale))})
	return report, nil
}

// passOver lets the stale packages behind one be asked about. One whose list cannot be read is left alone as if it had
// been; any other failure leaves it stale, behind those that are so by now.
func (s *Service) passOver(ctx context.Context, k catalog.PackageKey, unreadable bool) error {
	now := s.world.Clock.Now()
	if unreadable {
		return s.touch(ctx, k, now)
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		tx.OnCommit(func() { s.forgetLists(k) })
		return passPackage(ctx, tx, k, now.Add(-s.config.FreshFor-time.Microsecond))
	})
}

// unreadable reports whether a registry has answered and the answer cannot be used, which says nothing about its
// other packages.
func unreadable(err error) bool {
	var status *registry.StatusError
	return !temporary(err) && !errors.As(err, &status)
}

// stale is the packages of one round, taken from the systems in turn.
func (s *Service) stale(ctx context.Context, most int) ([]catalog.PackageKey, error) {
	before := s.world.Clock.Now().Add(-s.config.FreshFor)
	var lists [][]catalog.PackageKey
	for _, system := range catalog.Systems() {
		list, err := stalePackages(ctx, s.world.DB, system, before, most)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	return catalog.InTurn(lists, most), nil
}
