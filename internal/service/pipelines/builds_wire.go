package pipelines

import (
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// buildURL is the address of a job's page.
func (s *Service) buildURL(base string, r forge.Repository, k vcs.Kind, num int64) string {
	return base + s.names.BuildPath(r, k, num)
}

// summaryJSON is a job in lists. A shallow one leaves out what lists rarely show: commit and parameters.
type summaryJSON struct {
	VCSURL   string    `json:"vcs_url"`
	BuildURL string    `json:"build_url"`
	BuildNum int64     `json:"build_num"`
	Branch   optional  `json:"branch"`
	Revision string    `json:"vcs_revision"`
	Tag      optional  `json:"vcs_tag"`
	VCSType  string    `json:"vcs_type"`
	Username wire.Text `json:"username"`
	Reponame wire.Text `json:"reponame"`
	Subject  wire.Text `json:"subject"`
	*summaryCommitJSON
	runJSON
	JobName      wire.Text       `json:"job_name"`
	Fleet        string          `json:"fleet"`
	Platform     string          `json:"platform"`
	HasArtifacts bool            `json:"has_artifacts"`
	User         userJSON        `json:"user"`
	Workflows    *workflowJSON   `json:"workflows"`
	Parameters   json.RawMessage `json:"build_parameters,omitempty"`
}

// summaryCommitJSON is the commit of a job. The forge has no pull requests.
type summaryCommitJSON struct {
	Body           wire.Text  `json:"body"`
	CommitterName  wire.Text  `json:"committer_name"`
	CommitterEmail wire.Text  `json:"committer_email"`
	CommitterDate  optional   `json:"committer_date"`
	AuthorName     wire.Text  `json:"author_name"`
	AuthorEmail    wire.Text  `json:"author_email"`
	AuthorDate     optional   `json:"author_date"`
	Compare        optional   `json:"compare"`
	PullRequests   []struct{} `json:"pull_requests"`
}

// runJSON is how a job runs and ran.
type runJSON struct {
	Why                string         `json:"why"`
	DontBuild          optional       `json:"dont_build"`
	PushedAt           optional       `json:"pushed_at"`
	UsageQueuedAt      optional       `json:"usage_queued_at"`
	QueuedAt           optional       `json:"queued_at"`
	StartTime          optional       `json:"start_time"`
	StopTime           optional       `json:"stop_time"`
	Millis             *int64         `json:"build_time_millis"`
	Lifecycle          string         `json:"lifecycle"`
	Outcome            optional       `json:"outcome"`
	Status             string         `json:"status"`
	RetryOf            *int64         `json:"retry_of"`
	Retries            []int64        `json:"retries"`
	Previous           *referenceJSON `json:"previous"`
	PreviousSuccess    *referenceJSON `json:"previous_successful_build"`
	Parallel           int64          `json:"parallel"`
	FailReason         optional       `json:"fail_reason"`
	Canceler           *userJSON      `json:"canceler"`
	Failed             bool           `json:"failed"`
	TimedOut           bool           `json:"timedout"`
	Canceled           bool           `json:"canceled"`
	InfrastructureFail bool           `json:"infrastructure_fail"`
	OSS                bool           `json:"oss"`
	// SSHDisabled is always set: a sandbox has no way in.
	SSHDisabled       bool `json:"ssh_disabled"`
	NoDependencyCache bool `json:"no_dependency_cache"`
	IsFirstGreenBuild bool `json:"is_first_green_build"`
}

type referenceJSON struct {
	Status   string `json:"status"`
	BuildNum int64  `json:"build_num"`
}

type userJSON struct {
	IsUser    bool      `json:"is_user"`
	Login     wire.Text `json:"login"`
	AvatarURL any       `json:"avatar_url"`
	Name      optional  `json:"name"`
	VCSType   string    `json:"vcs_type"`
	ID        *int64    `json:"id"`
}

type workflowJSON struct {
	JobName      wire.Text   `json:"job_name"`
	JobID        string      `json:"job_id"`
	WorkflowID   string      `json:"workflow_id"`
	WorkspaceID  string      `json:"workspace_id"`
	Upstream     []wire.Text `json:"upstream_job_ids"`
	Concurrency  struct{}    `json:"upstream_concurrency_map"`
	WorkflowName wire.Text   `json:"workflow_name"`
}

func (s *Service) summaryToWire(j *job, shallow bool) summaryJSON {
	b := &j.build
	out := summaryJSON{
		VCSURL: s.names.RepoURL(j.base, j.repo, j.kind), BuildURL: s.buildURL(j.base, j.repo, j.kind, b.Num),
		BuildNum: b.Num,
		Branch:   optional(b.Branch), Revision: b.Revision, Tag: optional(b.Tag), VCSType: s.names.Type(j.kind),
		Username: wire.Text(j.repo.Owner.Name), Reponame: wire.Text(j.repo.Name), Subject: wire.Text(b.Subject),
		runJSON: s.runToWire(j), JobName: wire.Text(b.JobName), Fleet: "stoa", Platform: "2.0",
		HasArtifacts: b.Artifacts, User: s.userToWire(b.Actor, j.kind),
	}
	if f := b.Workflow; f.ID != "" {
		out.Workflows = &workflowJSON{
			JobName: wire.Text(b.JobName), JobID: f.JobID, WorkflowID: f.ID, WorkspaceID: f.WorkspaceID,
			Upstream: texts(f.Upstream), WorkflowName: wire.Text(f.Name),
		}
	}
	if shallow {
		return out
	}
	out.Parameters = b.Parameters
	out.summaryCommitJSON = &summaryCommitJSON{
		Body:          wire.Text(b.Body),
		CommitterName: wire.Text(b.Committer.Name), CommitterEmail: wire.Text(b.Committer.Email),
		CommitterDate: stamp(b.Committer.At),
		AuthorName:    wire.Text(b.Author.Name), AuthorEmail: wire.Text(b.Author.Email), AuthorDate: stamp(b.Author.At),
		PullRequests: []struct{}{},
	}
	if b.Compare != "" {
		out.Compare = optional(out.VCSURL + "/compare/" + b.Compare)
	}
	return out
}

func (s *Service) runToWire(j *job) runJSON {
	b := &j.build
	out := runJSON{
		Why: string(b.Why), DontBuild: optional(b.DontBuild), PushedAt: stamp(b.PushedAt),
		UsageQueuedAt: stamp(b.UsageQueuedAt), QueuedAt: stamp(b.QueuedAt), StartTime: stamp(b.StartTime),
		StopTime: stamp(b.StopTime), Lifecycle: string(b.State.Lifecycle), Outcome: optional(b.State.Outcome),
		Status: string(b.State.Status), RetryOf: nonZero(b.RetryOf), Previous: referenceToWire(b.Previous),
		PreviousSuccess: referenceToWire(b.Success), Parallel: b.Parallel, FailReason: optional(b.FailReason),
		Failed: b.State.Outcome == build.Failed, TimedOut: b.State.Outcome == build.TimedOut,
		Canceled:           b.State.Outcome == build.Canceled,
		InfrastructureFail: b.State.Outcome == build.InfrastructureFail,
		OSS:                b.OSS, SSHDisabled: true, NoDependencyCache: b.NoCache, IsFirstGreenBuild: b.FirstGreen,
	}
	if b.Why == build.WhyPush {
		out.Why = s.names.Type(j.kind)
	}
	if millis, ok := b.Millis(); ok {
		out.Millis = &millis
	}
	if len(b.Retries) > 0 {
		out.Retries = b.Retries
	}
	if b.Canceler.Name != "" {
		canceler := s.userToWire(b.Canceler, j.kind)
		out.Canceler = &canceler
	}
	return out
}

func referenceToWire(r build.Reference) *referenceJSON {
	if r.Num == 0 {
		return nil
	}
	return &referenceJSON{string(r.Status), r.Num}
}

func (s *Service) userToWire(u forge.Actor, k vcs.Kind) userJSON {
	login := u.Name
	if login == "" {
		login = "none"
	}
	return userJSON{
		IsUser: u.ID != 0, Login: wire.Text(login), Name: optional(u.Name), VCSType: s.names.Type(k), ID: nonZero(u.ID),
	}
}

// detailJSON is what the detail has in addition to the summary, around the member that holds the configuration.
type (
	detailJSON struct {
		Node       any        `json:"node"`
		Messages   []noteJSON `json:"messages"`
		SSHUsers   []joined   `json:"ssh_users"`
		SSHEnabled bool       `json:"ssh_enabled"`
	}
	detailEndJSON struct {
		Commits      []commitJSON `json:"all_commit_details"`
		Truncated    bool         `json:"all_commit_details_truncated"`
		FeatureFlags struct{}     `json:"feature_flags"`
		Owners       []wire.Text  `json:"owners"`
		ContextIDs   []struct{}   `json:"context_ids"`
		Steps        []stepJSON   `json:"steps"`
	}
	noteJSON struct {
		Type    string    `json:"type"`
		Message wire.Text `json:"message"`
	}
	loginJSON struct {
		Login wire.Text `json:"login"`
	}
	configJSON struct {
		String wire.Text `json:"string"`
	}
)

type commitJSON struct {
	Commit         string    `json:"commit"`
	CommitURL      string    `json:"commit_url"`
	Branch         optional  `json:"branch"`
	Subject        wire.Text `json:"subject"`
	Body           wire.Text `json:"body"`
	AuthorLogin    any       `json:"author_login"`
	AuthorName     wire.Text `json:"author_name"`
	AuthorEmail    wire.Text `json:"author_email"`
	AuthorDate     optional  `json:"author_date"`
	CommitterLogin any       `json:"committer_login"`
	CommitterName  wire.Text `json:"committer_name"`
	CommitterEmail wire.Text `json:"committer_email"`
	CommitterDate  optional  `json:"committer_date"`
}

type stepJSON struct {
	Name    wire.Text    `json:"name"`
	Actions []actionJSON `json:"actions"`
}

type actionJSON struct {
	Name               wire.Text  `json:"name"`
	Command            optional   `json:"bash_command"`
	Type               string     `json:"type"`
	Step               int        `json:"step"`
	Index              int        `json:"index"`
	Parallel           bool       `json:"parallel"`
	Status             string     `json:"status"`
	StartTime          optional   `json:"start_time"`
	EndTime            optional   `json:"end_time"`
	Millis             *int64     `json:"run_time_millis"`
	ExitCode           *int64     `json:"exit_code"`
	Failed             bool       `json:"failed"`
	TimedOut           bool       `json:"timedout"`
	Canceled           bool       `json:"canceled"`
	InfrastructureFail bool       `json:"infrastructure_fail"`
	Continue           any        `json:"continue"`
	Background         bool       `json:"background"`
	HasOutput          bool       `json:"has_output"`
	OutputURL          optional   `json:"output_url"`
	Truncated          bool       `json:"truncated"`
	Insignificant      bool       `json:"insignificant"`
	AllocationID       string     `json:"allocation_id"`
	Messages           []struct{} `json:"messages"`
	Source             string     `json:"source"`
}

// detailToWire is everything about a job.
func (s *Service) detailToWire(j *job) joined {
	b := &j.build
	head := detailJSON{Messages: make([]noteJSON, len(b.Messages)), SSHUsers: make([]joined, len(b.SSHUsers))}
	for i, m := range b.Messages {
		head.Messages[i] = noteJSON{m.Type, wire.Text(m.Message)}
	}
	for i, u := range b.SSHUsers {
		head.SSHUsers[i] = joined{map[string]int64{s.words.codeHostID: u.ID}, loginJSON{wire.Text(u.Name)}}
	}
	return joined{
		s.summaryToWire(j, false), head,
		map[string]configJSON{s.words.configMember: {wire.Text(j.details.Config)}},
		detailEndJSON{
			Commits: s.commitsToWire(j), Truncated: len(j.details.Commits) >= forge.MaxCommits,
			Owners: texts([]string{j.repo.Owner.Name}), ContextIDs: []struct{}{}, Steps: s.stepsToWire(j),
		},
	}
}

func (s *Service) commitsToWire(j *job) []commitJSON {
	list := make([]commitJSON, 0, len(j.details.Commits))
	for _, c := range j.details.Commits {
		subject, body, _ := strings.Cut(c.Message, "\n")
		list = append(list, commitJSON{
			Commit: c.SHA, CommitURL: s.names.RepoURL(j.base, j.repo, j.kind) + "/commit/" + c.SHA,
			Branch: optional(j.build.Branch), Subject: wire.Text(subject), Body: wire.Text(strings.TrimSpace(body)),
			AuthorName: wire.Text(c.Author.Name), AuthorEmail: wire.Text(c.Author.Email),
			AuthorDate:    stamp(c.Author.At),
			CommitterName: wire.Text(c.Committer.Name), CommitterEmail: wire.Text(c.Committer.Email),
			CommitterDate: stamp(c.Committer.At),
		})
	}
	return list
}

// stepsToWire groups actions by step.
func (s *Service) stepsToWire(j *job) []stepJSON {
	steps := []stepJSON{}
	for i := range j.actions {
		a := &j.actions[i]
		if i == 0 || a.Step != j.actions[i-1].Step {
			steps = append(steps, stepJSON{Name: wire.Text(a.Name)})
		}
		last := &steps[len(steps)-1]
		last.Actions = append(last.Actions, s.actionToWire(j, a))
	}
	return steps
}

func (s *Service) actionToWire(j *job, a *build.Action) actionJSON {
	out := actionJSON{
		Name: wire.Text(a.Name), Command: optional(a.Command), Type: a.Kind, Step: a.Step, Index: a.Node,
		Parallel: j.build.Parallel > 1, Status: string(a.Status), StartTime: stamp(a.StartedAt),
		EndTime: stamp(a.EndedAt), ExitCode: a.ExitCode, Failed: a.Status == build.ActionFailed,
		TimedOut: a.Status == build.ActionTimedOut, Canceled: a.Status == build.ActionCanceled,
		InfrastructureFail: a.Status == build.ActionBroken, Background: a.Background, HasOutput: a.OutputSize > 0,
		Truncated: a.Truncated, AllocationID: fmt.Sprintf("%d-%d", j.build.ID, a.Node), Messages: []struct{}{},
		Source: "config",
	}
	if !a.EndedAt.IsZero() {
		millis := a.EndedAt.Sub(a.StartedAt).Milliseconds()
		out.Millis = &millis
	}
	if a.OutputSize > 0 {
		out.OutputURL = optional(s.outputURL(j, a))
	}
	return out
}

// noticeJSON is the message of a webhook.
type noticeJSON struct {
	Payload any `json:"payload"`
}

type testNoticeJSON struct {
	VCSURL   string    `json:"vcs_url"`
	Reponame wire.Text `json:"reponame"`
	Username wire.Text `json:"username"`
	Status   string    `json:"status"`
	Subject  string    `json:"subject"`
}
