package pipelines

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// A detail has the whole commands of its steps while they and their repetitions on all nodes are within a bound, and
// else their beginnings.
const (
	maxCommands  = 8 << 20
	shortCommand = 200
)

// Detail finds a job with everything that its detail shows.
func (s *Service) Detail(ctx context.Context, t target, num int64) (j job, err error) {
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		b, err := findBuild(ctx, tx, t.repo, num)
		if err != nil {
			return err
		}
		j, err = readJob(ctx, tx, t.repo, b)
		return err
	})
	j.kind, j.base = t.kind, s.world.URL(ctx)
	j.readBy(t.caller)
	return j, err
}

// readJob reads what the detail of a job shows.
func readJob(ctx context.Context, q database.Querier, r forge.Repository, b build.Build) (j job, err error) {
	j = job{build: b, repo: r}
	if j.details, err = build.DetailsOf(ctx, q, b.ID); err != nil {
		return j, err
	}
	command := maxCommands
	if int64(len(j.details.Plan))*b.Parallel > maxCommands {
		command = shortCommand
	}
	j.actions, err = build.Actions(ctx, q, b.ID, command)
	return j, err
}

func findBuild(ctx context.Context, q database.Querier, r forge.Repository, num int64) (build.Build, error) {
	b, err := build.ByNum(ctx, q, r.ID, num)
	if errors.Is(err, database.ErrNotFound) {
		return b, errBuildNotFound()
	}
	return b, err
}

// Build finds a job of a project.
func (s *Service) Build(ctx context.Context, r forge.Repository, num int64) (build.Build, error) {
	return findBuild(ctx, s.world.DB, r, num)
}

// Latest is the newest job that a filter admits.
func (s *Service) Latest(
	ctx context.Context, r forge.Repository, branch, name string, f build.Filter,
) (build.Build, error) {
	b, err := build.Latest(ctx, s.world.DB, r.ID, branch, name, f)
	if errors.Is(err, database.ErrNotFound) {
		return b, errBuildNotFound()
	}
	return b, err
}
