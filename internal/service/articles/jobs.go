package articles

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

const (
	pageViewsKind = Name + ".views"
	renderKind    = Name + ".render"
)

type pageViewsPayload struct{}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[pageViewsPayload]{
			Name:  pageViewsKind,
			About: "Stores the page views that were counted.",
			Safe:  true, MaxAttempts: 1, Timeout: time.Minute,
			Run: func(ctx context.Context, _ jobs.Job, _ pageViewsPayload) error { return s.FlushPageViews(ctx) },
		}),
		jobs.Define(jobs.Kind[renderPayload]{
			Name:        renderKind,
			About:       "Renders stored texts again after a change of the renderer.",
			MaxAttempts: 10, Timeout: 10 * time.Minute, Run: s.runRender,
		}),
	}
}

// start writes the schedule of the page views and asks for a new rendering of what
// an older renderer made.
func (s *Service) start(ctx context.Context) error {
	err := s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: pageViewsKind, Spec: "@every 1m", Kind: pageViewsKind, Payload: pageViewsPayload{},
	})
	if err != nil {
		return err
	}
	items, err := staleItems(ctx, s.world.DB, 1)
	if err != nil {
		return err
	}
	comments, err := staleComments(ctx, s.world.DB, 1)
	if err != nil || len(items)+len(comments) == 0 {
		return err
	}
	return s.enqueueRender(ctx)
}

// close writes the page views that no job came to write.
func (s *Service) close() error {
	if s.world.DB == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.FlushPageViews(ctx)
}

// FlushPageViews writes the page views that were counted.
func (s *Service) FlushPageViews(ctx context.Context) error {
	write := func(ctx context.Context, numbers []int64, views map[int64]int64, written func()) error {
		return s.world.DB.WriteKeyed(ctx, "articles/views", func(ctx context.Context, tx *database.Tx) error {
			for _, number := range numbers {
				if err := addToCount(ctx, tx, countPageViews, views[number], number); err != nil {
					return err
				}
			}
			tx.OnCommit(written)
			s.cache.ForgetItems(tx, numbers...)
			return nil
		})
	}
	return s.pageViews.Flush(ctx, write)
}
