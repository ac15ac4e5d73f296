package forge

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/jobs"
)

const (
	removeKind = "forge.remove"
	settleKind = "forge.settle"
	tidyKind   = "forge.tidy"
)

// removePayload names the folder of a deleted repository.
type removePayload struct {
	Folder     string `json:"folder"`
	Repository int64  `json:"repository"`
}

// settlePayload says nothing: what is due follows from the clock.
type settlePayload struct{}

// tidyPayload says nothing: every repository is looked at.
type tidyPayload struct{}

func (f *Forge) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[removePayload]{
			Name: removeKind, Safe: true, Timeout: 10 * time.Minute,
			Run: func(ctx context.Context, _ jobs.Job, p removePayload) error { return f.removeFolder(ctx, p) },
		}),
		jobs.Define(jobs.Kind[settlePayload]{
			Name: settleKind, Safe: true, Timeout: 10 * time.Minute,
			Run: func(ctx context.Context, _ jobs.Job, _ settlePayload) error { return f.settle(ctx, false) },
		}),
		jobs.Define(jobs.Kind[tidyPayload]{
			Name: tidyKind, Safe: true, Timeout: 4 * time.Hour,
			Run: func(ctx context.Context, _ jobs.Job, _ tidyPayload) error { return f.tidy(ctx) },
		}),
	}
}

// schedule looks every few minutes for pushes that another process left
// behind, and every day for repositories that want packing.
func (f *Forge) schedule(ctx context.Context) error {
	if err := f.world.Jobs.Schedule(ctx, jobs.Schedule{Name: tidyKind, Spec: "@daily", Kind: tidyKind, Payload: tidyPayload{}}); err != nil {
		return err
	}
	return f.world.Jobs.Schedule(ctx, jobs.Schedule{Name: settleKind, Spec: "@every 5m", Kind: settleKind, Payload: settlePayload{}})
}

// removeFolder deletes the bytes of a repository after the push that was under
// way when it was deleted.
func (f *Forge) removeFolder(ctx context.Context, p removePayload) error {
	release, err := f.turns.take(ctx, p.Repository)
	if err != nil {
		return err
	}
	defer release()
	return f.git.remove(p.Folder)
}
