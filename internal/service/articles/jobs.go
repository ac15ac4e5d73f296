package articles

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/articles/markdown"
)

// The kinds of background work.
const (
	viewsKind  = Name + ".views"
	renderKind = Name + ".render"
)

type viewsPayload struct{}

// renderPayload names the renderer that the job was asked for.
type renderPayload struct {
	Version int `json:"version"`
}

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[viewsPayload]{Name: viewsKind, Safe: true, MaxAttempts: 1, Timeout: time.Minute, Run: s.runViews}),
		jobs.Define(jobs.Kind[renderPayload]{Name: renderKind, MaxAttempts: 10, Timeout: 10 * time.Minute, Run: s.runRender}),
	}
}

// start writes the schedule of the views and asks for a new rendering of what an
// older renderer made.
func (s *Service) start(ctx context.Context) error {
	if err := s.world.Jobs.Schedule(ctx, jobs.Schedule{Name: viewsKind, Spec: "@every 1m", Kind: viewsKind, Payload: viewsPayload{}}); err != nil {
		return err
	}
	stale, err := s.stale(ctx)
	if err != nil || !stale {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.enqueueRender(ctx, tx) })
}

// close writes the views that no job came to write.
func (s *Service) close() error {
	if s.world.DB == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.FlushViews(ctx)
}

func (s *Service) runViews(ctx context.Context, _ jobs.Job, _ viewsPayload) error {
	return s.FlushViews(ctx)
}

func (s *Service) enqueueRender(ctx context.Context, tx *database.Tx) error {
	_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{Kind: renderKind, Payload: renderPayload{Version: markdown.Version}, Dedupe: renderKind})
	return err
}

// stale reports whether something was made by another version of the renderer.
func (s *Service) stale(ctx context.Context) (bool, error) {
	items, err := s.store.staleItems(ctx, s.world.DB, 1)
	if err != nil || len(items) > 0 {
		return true, err
	}
	comments, err := s.store.staleComments(ctx, s.world.DB, 1)
	return len(comments) > 0, err
}

// renderBatch is how much is rendered before the job makes room for others.
const (
	renderBatch = 100
	// commentBatch are read with their texts at once.
	commentBatch = 10
)

// rerenderer is who answers for rendering again what is stored.
func rerenderer() budget.Owner { return budget.Caller(renderKind) }

// runRender renders what is stale, some at a time, and asks for itself again
// until nothing is left. A process with another renderer leaves it alone.
func (s *Service) runRender(ctx context.Context, _ jobs.Job, p renderPayload) error {
	if p.Version != markdown.Version {
		return nil
	}
	numbers, err := s.store.staleItems(ctx, s.world.DB, renderBatch)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if err := s.rerenderItem(ctx, number); err != nil {
			return err
		}
	}
	comments, err := s.store.staleComments(ctx, s.world.DB, commentBatch)
	if err != nil {
		return err
	}
	for _, c := range comments {
		rendered, err := s.markdown.RenderStored(ctx, rerenderer(), c.Body)
		if err != nil {
			return err
		}
		err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			return s.store.rerenderComment(ctx, tx, c.Number, rendered, c.Body)
		})
		if err != nil {
			return err
		}
	}
	if len(numbers)+len(comments) == 0 {
		return nil
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return s.enqueueRender(ctx, tx) })
}

// rerenderItem makes the HTML and the index of an item again. Somebody who
// changes the item at the same time wins: that renders it too.
func (s *Service) rerenderItem(ctx context.Context, number int64) error {
	before, err := s.store.items(ctx, s.world.DB, []int64{number}, anything)
	if err != nil || len(before) == 0 {
		return err
	}
	rendered, err := s.markdown.RenderStored(ctx, rerenderer(), before[0].Body)
	if err != nil {
		return err
	}
	return s.world.DB.WriteKeyed(ctx, itemKey(before[0].ID), func(ctx context.Context, tx *database.Tx) error {
		now, err := s.store.items(ctx, tx, []int64{number}, anything)
		if err != nil || len(now) == 0 || now[0].Body != before[0].Body {
			return err
		}
		s.shelf.forget(tx, change{items: []int64{number}})
		if err := s.store.rerenderItem(ctx, tx, number, rendered); err != nil {
			return err
		}
		return s.indexItem(ctx, tx, now[0], now[0].Tags)
	})
}
