package articles

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/articles/markdown"
)

// renderPayload names the version of the renderer that the job was asked for.
type renderPayload struct {
	Version int `json:"version"`
}

// enqueueRender asks for one job of this renderer: one of an older process, which may wait still, would leave it alone.
func (s *Service) enqueueRender(ctx context.Context) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
			Kind: renderKind, Payload: renderPayload{Version: markdown.Version}, Dedupe: strconv.Itoa(markdown.Version),
		})
		return err
	})
}

const (
	// renderBatch is how many items are rendered before the job lets others run.
	renderBatch = 100
	// commentBatch are read with their texts at once.
	commentBatch = 10
)

// renderStored renders a stored text again; the job answers for the work.
func (s *Service) renderStored(ctx context.Context, text string) (string, error) {
	return s.markdown.RenderStored(ctx, budget.Caller(renderKind), text)
}

// runRender renders what is stale, some at a time, and asks for itself again until
// nothing is left. A process with another renderer leaves it alone.
func (s *Service) runRender(ctx context.Context, _ jobs.Job, p renderPayload) error {
	if p.Version != markdown.Version {
		return nil
	}
	numbers, err := staleItems(ctx, s.world.DB, renderBatch)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if err := s.rerenderItem(ctx, number); err != nil {
			return err
		}
	}
	comments, err := staleComments(ctx, s.world.DB, commentBatch)
	if err != nil {
		return err
	}
	for _, c := range comments {
		rendered, err := s.renderStored(ctx, c.Body)
		if err != nil {
			return err
		}
		err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			return updateRenderedComment(ctx, tx, c, rendered)
		})
		if err != nil {
			return err
		}
	}
	if len(numbers)+len(comments) == 0 {
		return nil
	}
	return s.enqueueRender(ctx)
}

// rerenderItem makes the HTML and the index of an item again. A change of the item
// at the same time wins: that renders it too.
func (s *Service) rerenderItem(ctx context.Context, number int64) error {
	before, err := itemsByNumber(ctx, s.world.DB, []int64{number}, nil)
	if err != nil || len(before) == 0 {
		return err
	}
	rendered, err := s.renderStored(ctx, before[0].Body)
	if err != nil {
		return err
	}
	return s.world.DB.WriteKeyed(ctx, itemKey(before[0].ID), func(ctx context.Context, tx *database.Tx) error {
		now, err := itemsByNumber(ctx, tx, []int64{number}, nil)
		if err != nil || len(now) == 0 || now[0].Body != before[0].Body {
			return err
		}
		s.cache.ForgetItems(tx, number)
		if err := updateRendered(ctx, tx, number, rendered); err != nil {
			return err
		}
		return s.index.Put(ctx, tx, searchItem(now[0]))
	})
}
