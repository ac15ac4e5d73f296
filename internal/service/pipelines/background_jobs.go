package pipelines

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/jobs"
)

const (
	pushKind  = "pipelines.push"
	sweepKind = "pipelines.sweep"
)

// pushPayload is one changed branch or tag.
type pushPayload struct {
	RepoID   int64          `json:"repo"`
	Ref      string         `json:"ref"`
	Revision string         `json:"revision"`
	Before   string         `json:"before"`
	Actor    forge.Actor    `json:"actor"`
	Commits  []forge.Commit `json:"commits,omitempty"`
	// Owner is whose queue the push is on, Replaced how many earlier pushes to the branch or tag it stands for.
	Owner    int64 `json:"owner,omitempty"`
	Replaced int64 `json:"replaced,omitempty"`
}

// sweepPayload says nothing: what is due follows from the clock.
type sweepPayload struct{}

// pushWorkers is how many pushes are looked at at once; each runs git. One is left to others, whatever one owner
// pushes.
// maxPushes of an owner may wait; of those beyond, the newest of each branch and tag is kept, see enqueuePush.
const (
	pushWorkers = 4
	maxPushes   = 1000
)

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[pushPayload]{
			Name:        pushKind,
			About:       "Starts the pipelines of a push.",
			Concurrency: pushWorkers,
			PerOwner:    jobs.Share{Running: pushWorkers - 1, Waiting: maxPushes},
			Run:         func(ctx context.Context, j jobs.Job, p pushPayload) error { return s.runPush(ctx, j.ID, p) },
		}),
		jobs.Define(jobs.Kind[continuePayload]{
			Name:        continueKind,
			About:       "Makes the second part of a pipeline whose setup job has ended.",
			Concurrency: pushWorkers,
			PerOwner:    jobs.Share{Running: pushWorkers - 1, Waiting: maxPushes},
			Run:         func(ctx context.Context, _ jobs.Job, p continuePayload) error { return s.continued(ctx, p) },
		}),
		jobs.Define(jobs.Kind[duePayload]{
			Name:  dueKind,
			About: "Asks for the pipelines of a schedule and waits for its next time.",
			Safe:  true,
			Run:   func(ctx context.Context, _ jobs.Job, p duePayload) error { return s.due(ctx, p) },
		}),
		jobs.Define(jobs.Kind[duePayload]{
			Name:        scheduledKind,
			About:       "Starts the pipelines of a schedule.",
			Concurrency: pushWorkers,
			PerOwner:    jobs.Share{Running: pushWorkers - 1, Waiting: maxPushes},
			Run:         func(ctx context.Context, j jobs.Job, p duePayload) error { return s.scheduled(ctx, j.ID, p) },
		}),
		jobs.Define(jobs.Kind[sweepPayload]{
			Name:  sweepKind,
			About: "Deletes expired artifacts, caches and workspaces, old output, old jobs, and jobs of deleted repositories.",
			Safe:  true,
			Run:   func(ctx context.Context, _ jobs.Job, _ sweepPayload) error { return s.sweep(ctx) },
		}),
	}
}

// sweep deletes what has expired and looks after pushes that nothing else moves to the queue.
func (s *Service) sweep(ctx context.Context) error {
	return errors.Join(s.enqueueAllLate(ctx), s.runner.Sweep(ctx))
}

// schedule puts the clean-up on the queue.
func (s *Service) schedule(ctx context.Context) error {
	return s.world.Jobs.Schedule(ctx,
		jobs.Schedule{Name: sweepKind, Spec: "@hourly", Kind: sweepKind, Payload: sweepPayload{}})
}
