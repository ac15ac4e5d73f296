package runner

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Admit refuses jobs beyond the bounds of unfinished ones, of which those of the project that are about to be canceled
// are left out. Until the transaction ends no other adds jobs of the owner.
func (r *Runner) Admit(
	ctx context.Context, tx *database.Tx, owner, repoID int64, jobs int, canceled ...build.Build,
) error {
	if err := lockOwner(ctx, tx, owner); err != nil {
		return err
	}
	owners, projects, err := countOpen(ctx, tx, owner, repoID)
	if err != nil {
		return err
	}
	for i := range canceled {
		projects--
		if canceled[i].OwnerID == owner {
			owners--
		}
	}
	limits := r.config.Queue
	switch n := int64(jobs); {
	case owners+n > limits.OwnerJobs:
		return errBusy("account", owners, n, limits.OwnerJobs)
	case projects+n > limits.ProjectJobs:
		return errBusy("project", projects, n, limits.ProjectJobs)
	}
	return nil
}

// errBusy says whose bound of unfinished jobs is reached.
func errBusy(whose string, open, more, limit int64) error {
	return refusal.New(refusal.Busy, "Too many jobs: the %s has %d unfinished ones and this would add %d, "+
		"the limit is %d. Wait until some have ended, or cancel some.", whose, open, more, limit)
}
