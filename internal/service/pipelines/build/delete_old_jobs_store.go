package build

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// LastingJobs is how many of a project's newest jobs are kept however old they are: badges, feeds and what counts as
// fixed follow from the last job of a branch.
const LastingJobs = 100

// unneeded are ended jobs b that no unfinished one depends on: the jobs of a workflow are looked at until its last has
// ended, and a repeated setup asks which job it repeats.
const unneeded = `b.lifecycle IN ('finished', 'not_run')
	AND (b.workflow_id = '' OR NOT EXISTS (SELECT 1 FROM pipelines_builds o WHERE o.workflow_id = b.workflow_id
		AND o.lifecycle IN ('not_running', 'queued', 'running')))
	AND NOT EXISTS (SELECT 1 FROM pipelines_builds o WHERE o.repo_id = b.repo_id AND o.retry_of = b.num
		AND o.lifecycle IN ('not_running', 'queued', 'running'))`

// ListOld lists ended jobs, at most so many, that are not among so many newest of their project, or ended before a
// moment and are not among the LastingJobs.
func ListOld(ctx context.Context, q database.Querier, before time.Time, keep int64, limit int) ([]int64, error) {
	ids, err := database.All(ctx, q, scanInt, `SELECT b.id FROM pipelines_projects p
		JOIN pipelines_builds b ON b.repo_id = p.repo_id AND b.num <= p.last_num - $1
		WHERE `+unneeded+` LIMIT $2`, keep, limit)
	if err != nil || len(ids) > 0 {
		return ids, err
	}
	// A job that was never run has no end.
	return database.All(ctx, q, scanInt, `SELECT b.id FROM pipelines_builds b
		JOIN pipelines_projects p ON p.repo_id = b.repo_id AND b.num <= p.last_num - $1
		WHERE b.usage_queued_at < $2 AND COALESCE(b.stop_time, b.usage_queued_at) < $2 AND `+unneeded+` LIMIT $3`,
		LastingJobs, database.Time(before), limit)
}

// DeleteJobs deletes ended jobs with all that is known of them but what their artifacts, caches and workspaces keep.
func DeleteJobs(ctx context.Context, tx *database.Tx, ids []int64) error {
	for _, id := range ids {
		if err := deleteOutput(ctx, tx, id); err != nil {
			return err
		}
		err := execAll(ctx, tx, id,
			`DELETE FROM pipelines_actions WHERE build_id = $1`, `DELETE FROM pipelines_tests WHERE build_id = $1`,
			`DELETE FROM pipelines_details WHERE build_id = $1`, `DELETE FROM pipelines_builds WHERE id = $1`)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteOrphans forgets ended jobs whose repository was deleted, at most so many, and returns how many. Artifacts
// go with their bytes.
func DeleteOrphans(ctx context.Context, tx *database.Tx, limit int) (int, error) {
	ids, err := database.All(ctx, tx, scanInt, `
		SELECT id FROM pipelines_builds b WHERE lifecycle IN ('finished', 'not_run')
		AND NOT EXISTS (SELECT 1 FROM pipelines_projects p WHERE p.repo_id = b.repo_id) ORDER BY id LIMIT $1`, limit)
	if err != nil {
		return 0, err
	}
	return len(ids), DeleteJobs(ctx, tx, ids)
}
