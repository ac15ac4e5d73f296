package pipelines

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

const buildColumns = `id, repo_id, num, version, job_name, branch, revision, tag,
	committer_name, committer_email, committer_date, author_name, author_email, author_date, subject, body, compare,
	why, dont_build, pushed_at, usage_queued_at, queued_at, start_time, stop_time, lifecycle, outcome, status,
	retry_of, retries, attempts, previous_num, previous_status, success_num, success_status, first_green, parallel, fail_reason,
	canceler_id, canceler, messages, ssh_users, parameters, ssh, no_cache, oss, artifacts, actor_id, actor_name,
	workflow_id, workflow_name, workflow_job, workspace_id, requires, upstream, approval, lease_owner, lease_until, fence, owner_id`

func scanBuild(s database.Scanner) (b Build, err error) {
	var retries, messages, users, parameters, requires, upstream string
	err = s.Scan(&b.ID, &b.RepoID, &b.Num, &b.Version, &b.JobName, &b.Branch, &b.Revision, &b.Tag,
		&b.Committer.Name, &b.Committer.Email, database.ScanNullTime(&b.Committer.At),
		&b.Author.Name, &b.Author.Email, database.ScanNullTime(&b.Author.At), &b.Subject, &b.Body, &b.Compare,
		&b.Why, &b.DontBuild, database.ScanTime(&b.PushedAt), database.ScanTime(&b.UsageQueuedAt),
		database.ScanNullTime(&b.QueuedAt), database.ScanNullTime(&b.StartTime), database.ScanNullTime(&b.StopTime),
		&b.State.Lifecycle, &b.State.Outcome, &b.State.Status, &b.RetryOf, &retries, &b.Attempts,
		&b.Previous.Num, &b.Previous.Status, &b.Success.Num, &b.Success.Status, &b.FirstGreen, &b.Parallel, &b.FailReason,
		&b.Canceler.ID, &b.Canceler.Name, &messages, &users, &parameters, &b.SSH, &b.NoCache, &b.OSS, &b.Artifacts,
		&b.Actor.ID, &b.Actor.Name, &b.Workflow.ID, &b.Workflow.Name, &b.Workflow.JobID, &b.Workflow.WorkspaceID,
		&requires, &upstream, &b.Workflow.Approval, &b.lease.owner, database.ScanNullTime(&b.lease.until), &b.lease.fence, &b.OwnerID)
	if err != nil {
		return b, err
	}
	b.Parameters = json.RawMessage(parameters)
	for _, part := range []struct {
		text string
		into any
	}{
		{retries, &b.Retries}, {messages, &b.Messages}, {users, &b.SSHUsers}, {requires, &b.Workflow.Requires}, {upstream, &b.Workflow.Upstream},
	} {
		// Most jobs have none of these.
		if part.text == "null" || part.text == "[]" {
			continue
		}
		if err := json.Unmarshal([]byte(part.text), part.into); err != nil {
			return b, fmt.Errorf("job %d: %w", b.ID, err)
		}
	}
	return b, nil
}

// text is a value as it is kept in a column of JSON.
func text(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw), err
}

// variableColumns are those of insert and update that hold JSON.
type variableColumns struct{ retries, messages, users, requires, upstream string }

func (b *Build) columns() (c variableColumns, err error) {
	for _, part := range []struct {
		into *string
		v    any
	}{
		{&c.retries, b.Retries},
		{&c.messages, b.Messages},
		{&c.users, b.SSHUsers},
		{&c.requires, b.Workflow.Requires},
		{&c.upstream, b.Workflow.Upstream},
	} {
		if *part.into, err = text(part.v); err != nil {
			return c, err
		}
	}
	return c, nil
}

func insertBuild(ctx context.Context, tx *database.Tx, b Build, d Details) (id int64, err error) {
	c, err := b.columns()
	if err != nil {
		return 0, err
	}
	commits, err := text(d.Commits)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `
		INSERT INTO pipelines_builds (repo_id, num, version, job_name, branch, revision, tag,
			committer_name, committer_email, committer_date, author_name, author_email, author_date, subject, body, compare,
			why, dont_build, pushed_at, usage_queued_at, queued_at, start_time, stop_time, lifecycle, outcome, status,
			retry_of, retries, attempts, previous_num, previous_status, success_num, success_status, first_green, parallel, fail_reason,
			canceler_id, canceler, messages, ssh_users, parameters, ssh, no_cache, oss, artifacts, actor_id, actor_name,
			workflow_id, workflow_name, workflow_job, workspace_id, requires, upstream, approval, lease_owner, lease_until, fence,
			owner_id, places)
		VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
			$26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, '', NULL, 0,
			$54, 0)
		RETURNING id`,
		b.RepoID, b.Num, b.JobName, b.Branch, b.Revision, b.Tag,
		b.Committer.Name, b.Committer.Email, database.NullTime(b.Committer.At), b.Author.Name, b.Author.Email, database.NullTime(b.Author.At),
		b.Subject, b.Body, b.Compare, string(b.Why), b.DontBuild, database.Time(b.PushedAt), database.Time(b.UsageQueuedAt),
		database.NullTime(b.QueuedAt), database.NullTime(b.StartTime), database.NullTime(b.StopTime),
		string(b.State.Lifecycle), string(b.State.Outcome), string(b.State.Status), b.RetryOf, c.retries, b.Attempts,
		b.Previous.Num, string(b.Previous.Status), b.Success.Num, string(b.Success.Status), b.FirstGreen, b.Parallel, b.FailReason,
		b.Canceler.ID, b.Canceler.Name, c.messages, c.users, string(b.Parameters), b.SSH, b.NoCache, b.OSS, b.Artifacts,
		b.Actor.ID, b.Actor.Name, b.Workflow.ID, b.Workflow.Name, b.Workflow.JobID, b.Workflow.WorkspaceID,
		c.requires, c.upstream, b.Workflow.Approval, b.OwnerID).Scan(&id)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO pipelines_details (build_id, config, plan, commits) VALUES ($1, $2, $3, $4)`,
		id, d.Config, string(d.Plan), commits)
	return id, err
}

// updateBuild writes what can change of a job. The row must still have the
// fence that the job was read with.
func updateBuild(ctx context.Context, tx *database.Tx, b *Build) error {
	c, err := b.columns()
	if err != nil {
		return err
	}
	result, err := tx.Exec(ctx, `
		UPDATE pipelines_builds SET version = version + 1, queued_at = $3, start_time = $4, stop_time = $5,
			lifecycle = $6, outcome = $7, status = $8, retries = $9, previous_num = $10, previous_status = $11,
			success_num = $12, success_status = $13, first_green = $14, fail_reason = $15, canceler_id = $16, canceler = $17,
			messages = $18, ssh_users = $19, artifacts = $20, dont_build = $21, lease_owner = $22, lease_until = $23, fence = $24,
			upstream = $25
		WHERE id = $1 AND fence = $2`,
		b.ID, b.lease.fence, database.NullTime(b.QueuedAt), database.NullTime(b.StartTime), database.NullTime(b.StopTime),
		string(b.State.Lifecycle), string(b.State.Outcome), string(b.State.Status), c.retries, b.Previous.Num, string(b.Previous.Status),
		b.Success.Num, string(b.Success.Status), b.FirstGreen, b.FailReason, b.Canceler.ID, b.Canceler.Name,
		c.messages, c.users, b.Artifacts, b.DontBuild, b.lease.owner, database.NullTime(b.lease.until), b.nextFence(), c.upstream)
	if err == nil && result.RowsAffected == 0 {
		return errLeaseLost
	}
	b.Version, b.lease.fence = b.Version+1, b.nextFence()
	return err
}

// nextFence ends whatever lease there was when a job ends.
func (b *Build) nextFence() int64 {
	if b.State.Ended() {
		return b.lease.fence + 1
	}
	return b.lease.fence
}

func buildByID(ctx context.Context, q database.Querier, id int64) (Build, error) {
	return database.One(ctx, q, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds WHERE id = $1`, id)
}

func buildByNum(ctx context.Context, q database.Querier, repoID, num int64) (Build, error) {
	return database.One(ctx, q, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds WHERE repo_id = $1 AND num = $2`, repoID, num)
}

func detailsOf(ctx context.Context, q database.Querier, id int64) (Details, error) {
	return database.One(ctx, q, func(s database.Scanner) (d Details, err error) {
		var plan, commits string
		if err = s.Scan(&d.Config, &plan, &commits); err != nil {
			return d, err
		}
		d.Plan = json.RawMessage(plan)
		return d, json.Unmarshal([]byte(commits), &d.Commits)
	}, `SELECT config, plan, commits FROM pipelines_details WHERE build_id = $1`, id)
}

// line is as much of a job as it takes to know whether its encoded form is
// still good.
type line struct{ id, repoID, num, version int64 }

func scanLine(s database.Scanner) (l line, err error) {
	err = s.Scan(&l.id, &l.repoID, &l.num, &l.version)
	return l, err
}

// The conditions of the filters.
const (
	whereCompleted  = ` AND lifecycle = 'finished'`
	whereSuccessful = ` AND outcome = 'success'`
	whereFailed     = ` AND lifecycle = 'finished' AND outcome <> 'success'`
	whereRunning    = ` AND lifecycle = 'running'`
)

func (f Filter) where() string {
	switch f {
	case FilterCompleted:
		return whereCompleted
	case FilterSuccessful:
		return whereSuccessful
	case FilterFailed:
		return whereFailed
	case FilterRunning:
		return whereRunning
	case FilterNone:
	}
	return ""
}

const lineColumns = `SELECT id, repo_id, num, version FROM pipelines_builds WHERE repo_id = $1`

// projectLines lists the jobs of a project, newest first.
func projectLines(ctx context.Context, q database.Querier, repoID int64, f Filter, limit, offset int) ([]line, error) {
	return database.All(ctx, q, scanLine, lineColumns+f.where()+` ORDER BY num DESC LIMIT $2 OFFSET $3`, repoID, limit, offset)
}

// branchLines lists the jobs of a branch, newest first.
func branchLines(ctx context.Context, q database.Querier, repoID int64, branch string, f Filter, limit, offset int) ([]line, error) {
	return database.All(ctx, q, scanLine, lineColumns+` AND branch = $2`+f.where()+` ORDER BY num DESC LIMIT $3 OFFSET $4`,
		repoID, branch, limit, offset)
}

// followedLines lists the jobs of the projects that a person follows.
func followedLines(ctx context.Context, q database.Querier, userID int64, limit, offset int) ([]line, error) {
	return database.All(ctx, q, scanLine, `
		SELECT b.id, b.repo_id, b.num, b.version FROM pipelines_builds b
		JOIN pipelines_follows f ON f.repo_id = b.repo_id
		WHERE f.user_id = $1 AND f.following = $2 ORDER BY b.id DESC LIMIT $3 OFFSET $4`, userID, true, limit, offset)
}

// followedOwnLines is followedLines for what one person has caused.
func followedOwnLines(ctx context.Context, q database.Querier, userID int64, limit, offset int) ([]line, error) {
	return database.All(ctx, q, scanLine, `
		SELECT b.id, b.repo_id, b.num, b.version FROM pipelines_builds b
		JOIN pipelines_follows f ON f.repo_id = b.repo_id
		WHERE f.user_id = $1 AND f.following = $2 AND b.actor_id = $1 ORDER BY b.id DESC LIMIT $3 OFFSET $4`, userID, true, limit, offset)
}

// latestOf is the newest job of a branch (of any when empty) that a filter
// admits, of one name when that is not empty.
func latestOf(ctx context.Context, q database.Querier, repoID int64, branch, job string, f Filter) (Build, error) {
	return database.One(ctx, q, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds
		WHERE repo_id = $1 AND ($2 = '' OR branch = $2) AND ($3 = '' OR job_name = $3)`+f.where()+` ORDER BY num DESC LIMIT 1`,
		repoID, branch, job)
}

func scanReference(s database.Scanner) (r Reference, err error) {
	err = s.Scan(&r.Num, &r.Status)
	return r, err
}

// reference is like One, with nothing for no row.
func reference(ctx context.Context, q database.Querier, sql string, args ...any) (Reference, error) {
	list, err := database.All(ctx, q, scanReference, sql, args...)
	if err != nil || len(list) == 0 {
		return Reference{}, err
	}
	return list[0], nil
}

const siblings = `SELECT num, status FROM pipelines_builds WHERE repo_id = $1 AND branch = $2 AND job_name = $3 AND num < $4`

func previousOf(ctx context.Context, q database.Querier, b *Build) (Reference, error) {
	return reference(ctx, q, siblings+` ORDER BY num DESC LIMIT 1`, b.RepoID, b.Branch, b.JobName, b.Num)
}

func successBefore(ctx context.Context, q database.Querier, b *Build) (Reference, error) {
	return reference(ctx, q, siblings+` AND outcome = 'success' ORDER BY num DESC LIMIT 1`, b.RepoID, b.Branch, b.JobName, b.Num)
}

// verdictBefore is how the last job before this one ended, those left out that
// say nothing about the code.
func verdictBefore(ctx context.Context, q database.Querier, b *Build) (Reference, error) {
	return reference(ctx, q, siblings+` AND lifecycle = 'finished' AND outcome <> 'canceled' AND status <> 'retried' ORDER BY num DESC LIMIT 1`,
		b.RepoID, b.Branch, b.JobName, b.Num)
}

// anySuccess reports whether the project has ever been green.
func anySuccess(ctx context.Context, q database.Querier, repoID int64) (bool, error) {
	r, err := reference(ctx, q, `SELECT num, status FROM pipelines_builds WHERE repo_id = $1 AND outcome = 'success' LIMIT 1`, repoID)
	return r.Num != 0, err
}

// openOnBranch lists the unfinished jobs of earlier pushes to a branch.
func openOnBranch(ctx context.Context, q database.Querier, repoID int64, branch string) ([]Build, error) {
	return database.All(ctx, q, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds
		WHERE repo_id = $1 AND branch = $2 AND lifecycle IN ('not_running', 'queued', 'running') AND why = 'push' ORDER BY num`, repoID, branch)
}

// openOf lists the unfinished jobs of a project.
func openOf(ctx context.Context, q database.Querier, repoID int64) ([]Build, error) {
	return database.All(ctx, q, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds
		WHERE repo_id = $1 AND lifecycle IN ('not_running', 'queued', 'running') ORDER BY num`, repoID)
}

// workflowBuilds lists the jobs of a workflow, oldest first.
func workflowBuilds(ctx context.Context, q database.Querier, workflowID string) ([]Build, error) {
	return database.All(ctx, q, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds WHERE workflow_id = $1 ORDER BY id`, workflowID)
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
	rank, rankEnd    int64
	good             bool
}

// branchLook is how many of a project's newest jobs its branches are listed from.
const branchLook = 2000

// branchJobs lists, per branch, the newest five jobs, every unfinished one, and
// the last that succeeded and that did not, of the newest jobs of the project.
func branchJobs(ctx context.Context, q database.Querier, repoID int64) ([]BranchJob, error) {
	return database.All(ctx, q, func(s database.Scanner) (j BranchJob, err error) {
		var workflow string
		err = s.Scan(&j.Branch, &j.Revision, &j.Num, &j.State.Lifecycle, &j.State.Outcome, &j.State.Status,
			database.ScanTime(&j.PushedAt), database.ScanTime(&j.AddedAt), &j.Actor.Name, &workflow, &j.rank, &j.rankEnd, &j.good)
		j.Workflow = workflow != ""
		return j, err
	}, `
		SELECT branch, revision, num, lifecycle, outcome, status, pushed_at, usage_queued_at, actor_name, workflow_id, place, ended, good FROM (
			SELECT b.*, outcome = 'success' AS good,
				ROW_NUMBER() OVER (PARTITION BY branch ORDER BY pushed_at DESC, num DESC) AS place,
				ROW_NUMBER() OVER (PARTITION BY branch, outcome = 'success', lifecycle = 'finished' ORDER BY num DESC) AS ended
			FROM (SELECT * FROM pipelines_builds WHERE repo_id = $1 AND branch <> '' ORDER BY num DESC LIMIT $2) b) ranked
		WHERE place <= 5 OR lifecycle IN ('not_running', 'queued', 'running') OR (lifecycle = 'finished' AND ended = 1)
		ORDER BY branch, pushed_at DESC, num DESC`, repoID, branchLook)
}

// updateRetries notes that a job was run once more. It changes nothing that a
// worker writes, so it needs no fence.
func updateRetries(ctx context.Context, tx *database.Tx, b Build) error {
	retries, err := text(b.Retries)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE pipelines_builds SET version = version + 1, retries = $2 WHERE id = $1`, b.ID, retries)
	return err
}

// updateSSHUsers is updateRetries for the people who may enter a job.
func updateSSHUsers(ctx context.Context, tx *database.Tx, b *Build) error {
	users, err := text(b.SSHUsers)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE pipelines_builds SET version = version + 1, ssh_users = $2 WHERE id = $1`, b.ID, users)
	b.Version++
	return err
}

// markArtifacts notes that a job has kept something.
func markArtifacts(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET version = version + 1, artifacts = $2 WHERE id = $1 AND artifacts = $3`, id, true, false)
	return err
}
