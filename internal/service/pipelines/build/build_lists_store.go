package build

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

// Row is as much of a job as it takes to know whether its encoded form is still current.
type Row struct{ ID, RepoID, Num, Version int64 }

func scanRow(s database.Scanner) (r Row, err error) {
	err = s.Scan(&r.ID, &r.RepoID, &r.Num, &r.Version)
	return r, err
}

func (f Filter) where() string {
	switch f {
	case FilterCompleted:
		return ` AND lifecycle = 'finished'`
	case FilterSuccessful:
		return ` AND outcome = 'success'`
	case FilterFailed:
		return ` AND lifecycle = 'finished' AND outcome <> 'success'`
	case FilterRunning:
		return ` AND lifecycle = 'running'`
	case FilterNone:
	}
	return ""
}

const selectRows = `SELECT id, repo_id, num, version FROM pipelines_builds WHERE repo_id = $1`

// List lists the jobs of a project, or of one of its branches, newest first.
func List(
	ctx context.Context, q database.Querier, repoID int64, branch string, f Filter, limit, offset int,
) ([]Row, error) {
	if branch == "" {
		return database.All(ctx, q, scanRow, selectRows+f.where()+` ORDER BY num DESC LIMIT $2 OFFSET $3`,
			repoID, limit, offset)
	}
	return database.All(ctx, q, scanRow,
		selectRows+` AND branch = $2`+f.where()+` ORDER BY num DESC LIMIT $3 OFFSET $4`, repoID, branch, limit, offset)
}

// ListFollowed lists the jobs of the projects that a user follows, newest first; with own those that the user caused.
func ListFollowed(
	ctx context.Context, q database.Querier, userID int64, own bool, limit, offset int,
) ([]Row, error) {
	caused := ""
	if own {
		caused = ` AND b.actor_id = $1`
	}
	return database.All(ctx, q, scanRow, `
		SELECT b.id, b.repo_id, b.num, b.version FROM pipelines_builds b
		JOIN pipelines_follows f ON f.repo_id = b.repo_id
		WHERE f.user_id = $1 AND f.following = $2`+caused+` ORDER BY b.id DESC LIMIT $3 OFFSET $4`,
		userID, true, limit, offset)
}

// Latest is the newest job of a branch (of any when empty) that a filter admits, of one name when that is not empty.
func Latest(ctx context.Context, q database.Querier, repoID int64, branch, job string, f Filter) (Build, error) {
	return database.One(ctx, q, scanBuild, selectBuild+`
		WHERE repo_id = $1 AND ($2 = '' OR branch = $2) AND ($3 = '' OR job_name = $3)`+f.where()+`
		ORDER BY num DESC LIMIT 1`, repoID, branch, job)
}

// BranchJob is a job as the list of projects shows it.
type BranchJob struct {
	Branch, Revision string
	Num              int64
	State            State
	PushedAt         time.Time
	AddedAt          time.Time
	Actor            forge.Actor
	Workflow         bool
	// Recent is set for the newest five of the branch, Last for the last that succeeded and the last that did not.
	Recent, Last bool
}

// maxBranchJobs is how many of a project's newest jobs its branches are listed from, recentJobs how many of a branch
// count as recent.
const (
	maxBranchJobs = 2000
	recentJobs    = 5
)

// ListBranches lists, per branch, the recent jobs, every unfinished one, and the last that succeeded and that did
// not, of the newest jobs of the project.
func ListBranches(ctx context.Context, q database.Querier, repoID int64) ([]BranchJob, error) {
	return database.All(ctx, q, func(s database.Scanner) (j BranchJob, err error) {
		var workflow string
		var rank, rankOfKind int64
		err = s.Scan(&j.Branch, &j.Revision, &j.Num, &j.State.Lifecycle, &j.State.Outcome, &j.State.Status,
			database.ScanTime(&j.PushedAt), database.ScanTime(&j.AddedAt), &j.Actor.Name, &workflow, &rank, &rankOfKind)
		j.Workflow, j.Recent = workflow != "", rank <= recentJobs
		j.Last = rankOfKind == 1 && j.State.Lifecycle == Finished
		return j, err
	}, `
		SELECT branch, revision, num, lifecycle, outcome, status, pushed_at, usage_queued_at, actor_name, workflow_id,
			rank_of_all, rank_of_kind
		FROM (
			SELECT b.*,
				ROW_NUMBER() OVER (PARTITION BY branch ORDER BY pushed_at DESC, num DESC) AS rank_of_all,
				ROW_NUMBER() OVER (
					PARTITION BY branch, outcome = 'success', lifecycle = 'finished' ORDER BY num DESC) AS rank_of_kind
			FROM (
				SELECT * FROM pipelines_builds WHERE repo_id = $1 AND branch <> '' ORDER BY num DESC LIMIT $2) b) ranked
		WHERE rank_of_all <= $3 OR lifecycle IN ('not_running', 'queued', 'running')
			OR (lifecycle = 'finished' AND rank_of_kind = 1)
		ORDER BY branch, pushed_at DESC, num DESC`, repoID, maxBranchJobs, recentJobs)
}
