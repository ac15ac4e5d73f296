package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

// ErrLeaseLost tells a worker that another process has the job now.
var ErrLeaseLost = errors.New("pipelines: the job has another worker")

const buildColumns = `id, repo_id, num, version, job_name, branch, revision, tag,
	committer_name, committer_email, committer_date, author_name, author_email, author_date, subject, body, compare,
	why, dont_build, pushed_at, usage_queued_at, queued_at, start_time, stop_time, lifecycle, outcome, status,
	retry_of, retries, attempts, previous_num, previous_status, success_num, success_status, first_green, parallel,
	fail_reason,
	canceler_id, canceler, messages, ssh_users, parameters, ssh, no_cache, oss, artifacts, actor_id, actor_name,
	workflow_id, workflow_name, workflow_job, workspace_id, requires, upstream, approval,
	lease_owner, lease_until, fence, owner_id`

func scanBuild(s database.Scanner) (b Build, err error) {
	var retries, messages, users, parameters, requires, upstream string
	err = s.Scan(&b.ID, &b.RepoID, &b.Num, &b.Version, &b.JobName, &b.Branch, &b.Revision, &b.Tag,
		&b.Committer.Name, &b.Committer.Email, database.ScanNullTime(&b.Committer.At),
		&b.Author.Name, &b.Author.Email, database.ScanNullTime(&b.Author.At), &b.Subject, &b.Body, &b.Compare,
		&b.Why, &b.DontBuild, database.ScanTime(&b.PushedAt), database.ScanTime(&b.UsageQueuedAt),
		database.ScanNullTime(&b.QueuedAt), database.ScanNullTime(&b.StartTime), database.ScanNullTime(&b.StopTime),
		&b.State.Lifecycle, &b.State.Outcome, &b.State.Status, &b.RetryOf, &retries, &b.Attempts,
		&b.Previous.Num, &b.Previous.Status, &b.Success.Num, &b.Success.Status, &b.FirstGreen, &b.Parallel,
		&b.FailReason,
		&b.Canceler.ID, &b.Canceler.Name, &messages, &users, &parameters, &b.SSH, &b.NoCache, &b.OSS, &b.Artifacts,
		&b.Actor.ID, &b.Actor.Name, &b.Workflow.ID, &b.Workflow.Name, &b.Workflow.JobID, &b.Workflow.WorkspaceID,
		&requires, &upstream, &b.Workflow.Approval, &b.Lease.Owner,
		database.ScanNullTime(&b.Lease.Until), &b.Lease.Fence, &b.OwnerID)
	if err != nil {
		return b, err
	}
	b.Parameters = json.RawMessage(parameters)
	for _, part := range []struct {
		text string
		into any
	}{
		{retries, &b.Retries}, {messages, &b.Messages}, {users, &b.SSHUsers},
		{requires, &b.Workflow.Requires}, {upstream, &b.Workflow.Upstream},
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

// Storable is a text as both databases keep it: what jobs print and report may hold bytes that are not text.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// jsonText is a value as a column of JSON holds it.
func jsonText(v any) (string, error) {
	raw, err := json.Marshal(v)
	return string(raw), err
}

// jsonColumns are those of insert and update that hold JSON.
type jsonColumns struct{ retries, messages, users, requires, upstream string }

func (b *Build) jsonColumns() (c jsonColumns, err error) {
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
		if *part.into, err = jsonText(part.v); err != nil {
			return c, err
		}
	}
	return c, nil
}

// TakeNumbers gives out the next numbers of a project and returns the last.
func TakeNumbers(ctx context.Context, tx *database.Tx, repoID int64, count int) (last int64, err error) {
	err = singlerow.Update(ctx, tx, singlerow.Change{
		Table: "pipelines_projects", Set: "last_num = last_num + $2", Where: "repo_id = $1", Read: "last_num",
	}, []any{repoID}, []any{count}, &last)
	return last, err
}

// SetSerialGroup puts a job into a group of which one runs at a time.
func SetSerialGroup(ctx context.Context, tx *database.Tx, id int64, group string) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET serial_group = $2 WHERE id = $1`, id, group)
	return err
}

// KeepSerialGroup puts a job into the group of another.
func KeepSerialGroup(ctx context.Context, tx *database.Tx, id, of int64) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET serial_group = COALESCE(
		(SELECT o.serial_group FROM pipelines_builds o WHERE o.id = $2), '') WHERE id = $1`, id, of)
	return err
}

// TakePipelineNumber counts one pipeline of a project.
func TakePipelineNumber(ctx context.Context, tx *database.Tx, repoID int64) (number int64, err error) {
	err = singlerow.Update(ctx, tx, singlerow.Change{
		Table: "pipelines_projects", Set: "last_pipeline = last_pipeline + 1", Where: "repo_id = $1", Read: "last_pipeline",
	}, []any{repoID}, nil, &number)
	return number, err
}

// TakeRequest notes that the jobs of a request are made; false when they were made before. Requests without a name
// are all different.
func TakeRequest(ctx context.Context, tx *database.Tx, repoID int64, request string, now time.Time) (bool, error) {
	if request == "" {
		return true, nil
	}
	result, err := tx.Exec(ctx, `INSERT INTO pipelines_wishes (repo_id, wish, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (repo_id, wish) DO NOTHING`, repoID, request, database.Time(now))
	return result.RowsAffected > 0, err
}

// Insert writes a job with its details and sets its ID.
func Insert(ctx context.Context, tx *database.Tx, b *Build, d Details) error {
	c, err := b.jsonColumns()
	if err != nil {
		return err
	}
	commits, err := jsonText(d.Commits)
	if err != nil {
		return err
	}
	if d.Plan, err = breakPlan(ctx, d.Plan); err != nil {
		return err
	}
	b.ID, err = singlerow.Insert(ctx, tx, "id", `
		INSERT INTO pipelines_builds (repo_id, num, version, job_name, branch, revision, tag,
			committer_name, committer_email, committer_date, author_name, author_email, author_date, subject, body,
			compare, why, dont_build, pushed_at, usage_queued_at, queued_at, start_time, stop_time,
			lifecycle, outcome, status, retry_of, retries, attempts, previous_num, previous_status,
			success_num, success_status, first_green, parallel, fail_reason, canceler_id, canceler, messages, ssh_users,
			parameters, ssh, no_cache, oss, artifacts, actor_id, actor_name, workflow_id, workflow_name, workflow_job,
			workspace_id, requires, upstream, approval, owner_id, lease_owner, lease_until, fence, places)
		VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43,
			$44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, '', NULL, 0, 0)`,
		b.RepoID, b.Num, b.JobName, b.Branch, b.Revision, b.Tag,
		b.Committer.Name, b.Committer.Email, database.NullTime(b.Committer.At),
		b.Author.Name, b.Author.Email, database.NullTime(b.Author.At), b.Subject, b.Body,
		b.Compare, string(b.Why), b.DontBuild, database.Time(b.PushedAt), database.Time(b.UsageQueuedAt),
		database.NullTime(b.QueuedAt), database.NullTime(b.StartTime), database.NullTime(b.StopTime),
		string(b.State.Lifecycle), string(b.State.Outcome), string(b.State.Status),
		b.RetryOf, c.retries, b.Attempts, b.Previous.Num, string(b.Previous.Status),
		b.Success.Num, string(b.Success.Status), b.FirstGreen, b.Parallel, b.FailReason,
		b.Canceler.ID, b.Canceler.Name, c.messages, c.users,
		string(b.Parameters), b.SSH, b.NoCache, b.OSS, b.Artifacts, b.Actor.ID, b.Actor.Name,
		b.Workflow.ID, b.Workflow.Name, b.Workflow.JobID, b.Workflow.WorkspaceID,
		c.requires, c.upstream, b.Workflow.Approval, b.OwnerID)
	if err != nil {
		return err
	}
	b.Version = 1
	_, err = tx.Exec(ctx, `INSERT INTO pipelines_details (build_id, config, plan, commits) VALUES ($1, $2, $3, $4)`,
		b.ID, d.Config, string(d.Plan), commits)
	return err
}

// Update writes what can change of a job. The row must still have the fence that the job was read with.
func Update(ctx context.Context, tx *database.Tx, b *Build) error {
	c, err := b.jsonColumns()
	if err != nil {
		return err
	}
	result, err := tx.Exec(ctx, `
		UPDATE pipelines_builds SET version = version + 1, queued_at = $3, start_time = $4, stop_time = $5,
			lifecycle = $6, outcome = $7, status = $8, retries = $9, previous_num = $10, previous_status = $11,
			success_num = $12, success_status = $13, first_green = $14, fail_reason = $15, canceler_id = $16,
			canceler = $17, messages = $18, ssh_users = $19, artifacts = $20, dont_build = $21, lease_owner = $22,
			lease_until = $23, fence = $24, upstream = $25
		WHERE id = $1 AND fence = $2`,
		b.ID, b.Lease.Fence, database.NullTime(b.QueuedAt), database.NullTime(b.StartTime),
		database.NullTime(b.StopTime),
		string(b.State.Lifecycle), string(b.State.Outcome), string(b.State.Status), c.retries,
		b.Previous.Num, string(b.Previous.Status), b.Success.Num, string(b.Success.Status), b.FirstGreen, b.FailReason,
		b.Canceler.ID, b.Canceler.Name, c.messages, c.users, b.Artifacts, b.DontBuild,
		b.Lease.Owner, database.NullTime(b.Lease.Until), b.nextFence(), c.upstream)
	if err == nil && result.RowsAffected == 0 {
		return ErrLeaseLost
	}
	b.Version, b.Lease.Fence = b.Version+1, b.nextFence()
	return err
}

// nextFence ends the lease, if there is one, when the job ends.
func (b *Build) nextFence() int64 {
	if b.State.Ended() {
		return b.Lease.Fence + 1
	}
	return b.Lease.Fence
}

const selectBuild = `SELECT ` + buildColumns + ` FROM pipelines_builds`

// ByID finds a job by its id.
func ByID(ctx context.Context, q database.Querier, id int64) (Build, error) {
	return database.One(ctx, q, scanBuild, selectBuild+` WHERE id = $1`, id)
}

// ByNum finds a job by its number in a project.
func ByNum(ctx context.Context, q database.Querier, repoID, num int64) (Build, error) {
	return database.One(ctx, q, scanBuild, selectBuild+` WHERE repo_id = $1 AND num = $2`, repoID, num)
}

// DetailsOf finds the details of a job.
func DetailsOf(ctx context.Context, q database.Querier, id int64) (Details, error) {
	return database.One(ctx, q, func(s database.Scanner) (d Details, err error) {
		var plan, commits string
		if err = s.Scan(&d.Config, &plan, &commits); err != nil {
			return d, err
		}
		d.Plan = json.RawMessage(plan)
		return d, json.Unmarshal([]byte(commits), &d.Commits)
	}, `SELECT config, plan, commits FROM pipelines_details WHERE build_id = $1`, id)
}

// PlanOf reads the plan of a job.
func PlanOf(ctx context.Context, q database.Querier, id int64) (plan Plan, err error) {
	details, err := DetailsOf(ctx, q, id)
	if err != nil {
		return plan, err
	}
	if plan, err = details.PlanOfJob(); err != nil {
		return plan, fmt.Errorf("job %d: %w", id, err)
	}
	return plan, nil
}

// PlanOfJob is what the details keep for a worker.
func (d Details) PlanOfJob() (plan Plan, err error) {
	if err = json.Unmarshal(d.Plan, &plan); err != nil {
		err = fmt.Errorf("stored plan: %w", err)
	}
	return plan, err
}

// Overdue lists running jobs whose lease ended before a moment.
func Overdue(ctx context.Context, q database.Querier, before time.Time) ([]Build, error) {
	return database.All(ctx, q, scanBuild,
		selectBuild+` WHERE lifecycle = 'running' AND lease_until < $1 ORDER BY id`, database.Time(before))
}

// OpenPushes lists the unfinished jobs of earlier pushes to a branch.
func OpenPushes(ctx context.Context, q database.Querier, repoID int64, branch string) ([]Build, error) {
	return database.All(ctx, q, scanBuild, selectBuild+`
		WHERE repo_id = $1 AND branch = $2 AND lifecycle IN ('not_running', 'queued', 'running') AND why = 'push'
		ORDER BY num`, repoID, branch)
}

// Open lists the unfinished jobs of a project.
func Open(ctx context.Context, q database.Querier, repoID int64) ([]Build, error) {
	return database.All(ctx, q, scanBuild, selectBuild+`
		WHERE repo_id = $1 AND lifecycle IN ('not_running', 'queued', 'running') ORDER BY num`, repoID)
}

// OfWorkflow lists the jobs of a workflow, oldest first.
func OfWorkflow(ctx context.Context, q database.Querier, workflowID string) ([]Build, error) {
	return database.All(ctx, q, scanBuild, selectBuild+` WHERE workflow_id = $1 ORDER BY id`, workflowID)
}

// UpdateRetries notes that a job was run once more. It changes nothing that a worker writes, so it needs no fence.
func UpdateRetries(ctx context.Context, tx *database.Tx, b Build) error {
	retries, err := jsonText(b.Retries)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE pipelines_builds SET version = version + 1, retries = $2 WHERE id = $1`,
		b.ID, retries)
	return err
}

// UpdateSSHUsers is UpdateRetries for the users who asked to enter a job.
func UpdateSSHUsers(ctx context.Context, tx *database.Tx, b *Build) error {
	users, err := jsonText(b.SSHUsers)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE pipelines_builds SET version = version + 1, ssh_users = $2 WHERE id = $1`,
		b.ID, users)
	b.Version++
	return err
}
