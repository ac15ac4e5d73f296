package build

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

// reference is the job that a query finds, zero for none.
func reference(ctx context.Context, q database.Querier, sql string, args ...any) (Reference, error) {
	r, err := database.One(ctx, q, func(s database.Scanner) (r Reference, err error) {
		err = s.Scan(&r.Num, &r.Status)
		return r, err
	}, sql, args...)
	if errors.Is(err, database.ErrNotFound) {
		return Reference{}, nil
	}
	return r, err
}

// before finds the newest job before this one of the same name on the branch, with a further condition.
func (b *Build) before(ctx context.Context, q database.Querier, condition string) (Reference, error) {
	return reference(ctx, q, `SELECT num, status FROM pipelines_builds
		WHERE repo_id = $1 AND branch = $2 AND job_name = $3 AND num < $4`+condition+` ORDER BY num DESC LIMIT 1`,
		b.RepoID, b.Branch, b.JobName, b.Num)
}

// FindPrevious sets the references of a new job to those before it.
func (b *Build) FindPrevious(ctx context.Context, q database.Querier) (err error) {
	if b.Previous, err = b.before(ctx, q, ""); err != nil {
		return err
	}
	b.Success, err = b.before(ctx, q, ` AND outcome = 'success'`)
	return err
}

// WasFailing reports whether the last job before this one failed, those left out that say nothing about the code.
func (b *Build) WasFailing(ctx context.Context, q database.Querier) (bool, error) {
	last, err := b.before(ctx, q, ` AND lifecycle = 'finished' AND outcome <> 'canceled' AND status <> 'retried'`)
	return last.Status.Failing(), err
}

// AnySuccess reports whether a project has ever been green.
func AnySuccess(ctx context.Context, q database.Querier, repoID int64) (bool, error) {
	r, err := reference(ctx, q,
		`SELECT num, status FROM pipelines_builds WHERE repo_id = $1 AND outcome = 'success' LIMIT 1`, repoID)
	return r.Num != 0, err
}
