package forge

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/jobs"
)

// The kinds of jobs. Their names are in databases.
const (
	removeKind  = "forge.remove"
	recoverKind = "forge.settle"
	gcKind      = "forge.tidy"
)

// removePayload names the folder of a deleted repository.
type removePayload struct {
	Folder     string `json:"folder"`
	Repository int64  `json:"repository"`
}

// recoverPayload says nothing: what is due follows from the clock.
type recoverPayload struct{}

// gcPayload says nothing: every repository is looked at.
type gcPayload struct{}

func (f *Forge) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[removePayload]{
			Name:  removeKind,
			About: "Deletes the files of repositories that were removed.",
			Safe:  true, Timeout: 10 * time.Minute,
			Run: func(ctx context.Context, _ jobs.Job, p removePayload) error { return f.removeFolder(ctx, p) },
		}),
		jobs.Define(jobs.Kind[recoverPayload]{
			Name:  recoverKind,
			About: "Ends pushes that another process left behind.",
			Safe:  true, Timeout: 10 * time.Minute,
			Run: func(ctx context.Context, _ jobs.Job, _ recoverPayload) error { return f.recoverPushes(ctx, false) },
		}),
		jobs.Define(jobs.Kind[gcPayload]{
			Name:  gcKind,
			About: "Packs repositories, drops what nothing refers to, and forgets old pushes.",
			Safe:  true, Timeout: 4 * time.Hour,
			Run: func(ctx context.Context, _ jobs.Job, _ gcPayload) error {
				return errors.Join(
					deleteTokenRepositories(ctx, f.world.DB, f.now()), f.deleteOldPushes(ctx), f.collectGarbage(ctx))
			},
		}),
	}
}

// schedule looks every few minutes for pushes that another process left behind, and
// every day for repositories that need packing.
func (f *Forge) schedule(ctx context.Context) error {
	for _, s := range []jobs.Schedule{
		{Name: gcKind, Spec: "@daily", Kind: gcKind, Payload: gcPayload{}},
		{Name: recoverKind, Spec: "@every 5m", Kind: recoverKind, Payload: recoverPayload{}},
	} {
		if err := f.world.Jobs.Schedule(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// removeFolder deletes the bytes of a repository after the push that was under
// way when it was deleted.
func (f *Forge) removeFolder(ctx context.Context, p removePayload) error {
	unlock, err := f.locks.Lock(ctx, p.Repository)
	if err != nil {
		return err
	}
	defer unlock()
	return f.git.Remove(p.Folder)
}
