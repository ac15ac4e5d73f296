package pipelines

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
)

// job is a build with what its wire forms need besides.
type job struct {
	build   Build
	repo    forge.Repository
	vcs     vcs
	details Details
	actions []Action
}

// A detail has the whole commands of its steps while they and their repetitions
// on all nodes are within a bound, and else their beginnings.
const (
	mostCommands = 8 << 20
	shortCommand = 200
)

// fullJob reads what the detail of a job shows.
func (s *Service) fullJob(ctx context.Context, q database.Querier, r forge.Repository, b Build) (job, error) {
	j := job{build: b, repo: r}
	var err error
	if j.details, err = detailsOf(ctx, q, b.ID); err != nil {
		return j, err
	}
	command := mostCommands
	if int64(len(j.details.Plan))*b.Parallel > mostCommands {
		command = shortCommand
	}
	j.actions, err = actionsOf(ctx, q, b.ID, command)
	return j, err
}

// vcsURL is where the code is. Official clients take it apart and expect the
// public host; otherwise it is an address that git can clone.
func (s *Service) vcsURL(r forge.Repository, v vcs) string {
	if s.words.sdk {
		return "https://" + s.words.hosts[v] + "/" + r.FullName()
	}
	return s.world.URL() + "/git/" + r.FullName()
}

// buildURL is the page of a job.
func (s *Service) buildURL(r forge.Repository, v vcs, num int64) string {
	return s.world.URL() + "/" + s.words.shorts[v] + "/" + r.FullName() + "/" + strconv.FormatInt(num, 10)
}

// apiURL is the address of a job in the API.
func (s *Service) apiURL(r forge.Repository, v vcs, num int64) string {
	return s.world.URL() + base + "/project/" + s.words.vcsNames[v][0] + "/" + r.FullName() + "/" + strconv.FormatInt(num, 10)
}

// whyWord says a push in the word of the code host.
func (s *Service) whyWord(b *Build, v vcs) string {
	if b.Why == WhyPush {
		return s.words.kinds[v]
	}
	return string(b.Why)
}

// summaryToWire writes the summary of a job. A shallow one leaves out what
// lists rarely show: the people and texts of the commit, and parameters.
func (s *Service) summaryToWire(w *wire.Builder, j job, shallow bool) {
	w.Object()
	s.originToWire(w, j, shallow)
	s.runToWire(w, j)
	s.surroundingsToWire(w, j, shallow)
	w.End()
}

// detailToWire writes everything about a job.
func (s *Service) detailToWire(w *wire.Builder, j job) {
	w.Object()
	s.originToWire(w, j, false)
	s.runToWire(w, j)
	s.surroundingsToWire(w, j, false)
	s.insideToWire(w, j)
	w.End()
}

// originToWire writes where a job comes from.
func (s *Service) originToWire(w *wire.Builder, j job, shallow bool) {
	b := &j.build
	putText(w, "vcs_url", s.vcsURL(j.repo, j.vcs))
	putText(w, "build_url", s.buildURL(j.repo, j.vcs, b.Num))
	putInt(w, "build_num", b.Num)
	putWord(w, "branch", b.Branch)
	putText(w, "vcs_revision", b.Revision)
	putWord(w, "vcs_tag", b.Tag)
	putText(w, "vcs_type", s.words.kinds[j.vcs])
	putText(w, "username", j.repo.Owner.Name)
	putText(w, "reponame", j.repo.Name)
	putText(w, "subject", b.Subject)
	if shallow {
		return
	}
	putText(w, "body", b.Body)
	putText(w, "committer_name", b.Committer.Name)
	putText(w, "committer_email", b.Committer.Email)
	putTime(w, "committer_date", b.Committer.At)
	putText(w, "author_name", b.Author.Name)
	putText(w, "author_email", b.Author.Email)
	putTime(w, "author_date", b.Author.At)
	if b.Compare == "" {
		w.Key("compare").Null()
	} else {
		putText(w, "compare", s.vcsURL(j.repo, j.vcs)+"/compare/"+b.Compare)
	}
	// The forge has no pull requests.
	w.Key("pull_requests").Array().End()
}

// runToWire writes how a job runs and ran.
func (s *Service) runToWire(w *wire.Builder, j job) {
	b := &j.build
	putText(w, "why", s.whyWord(b, j.vcs))
	putWord(w, "dont_build", b.DontBuild)
	putTime(w, "pushed_at", b.PushedAt)
	putTime(w, "usage_queued_at", b.UsageQueuedAt)
	putTime(w, "queued_at", b.QueuedAt)
	putTime(w, "start_time", b.StartTime)
	putTime(w, "stop_time", b.StopTime)
	if millis, ok := b.duration(); ok {
		putInt(w, "build_time_millis", millis)
	} else {
		w.Key("build_time_millis").Null()
	}
	putText(w, "lifecycle", string(b.State.Lifecycle))
	putWord(w, "outcome", string(b.State.Outcome))
	putText(w, "status", string(b.State.Status))
	putNumber(w, "retry_of", b.RetryOf)
	numbersToWire(w.Key("retries"), b.Retries)
	referenceToWire(w.Key("previous"), b.Previous)
	referenceToWire(w.Key("previous_successful_build"), b.Success)
	putInt(w, "parallel", b.Parallel)
	putWord(w, "fail_reason", b.FailReason)
	if b.Canceler.Name == "" {
		w.Key("canceler").Null()
	} else {
		s.userToWire(w.Key("canceler"), b.Canceler, j.vcs)
	}
	putBool(w, "failed", b.State.Outcome == Failed)
	putBool(w, "timedout", b.State.Outcome == TimedOut)
	putBool(w, "canceled", b.State.Outcome == Canceled)
	putBool(w, "infrastructure_fail", b.State.Outcome == InfrastructureFail)
	putBool(w, "oss", b.OSS)
	// Nobody can log in to a sandbox, whoever asked for it.
	putBool(w, "ssh_disabled", true)
	putBool(w, "no_dependency_cache", b.NoCache)
	putBool(w, "is_first_green_build", b.FirstGreen)
}

func numbersToWire(w *wire.Builder, list []int64) {
	if len(list) == 0 {
		w.Null()
		return
	}
	w.Array()
	for _, n := range list {
		w.Int(n)
	}
	w.End()
}

func referenceToWire(w *wire.Builder, r Reference) {
	if r.Num == 0 {
		w.Null()
		return
	}
	w.Object().Key("status").Text(string(r.Status)).Key("build_num").Int(r.Num).End()
}

// userToWire writes a person as jobs name them.
func (s *Service) userToWire(w *wire.Builder, u forge.Actor, v vcs) {
	w.Object()
	putBool(w, "is_user", u.ID != 0)
	if u.Name == "" {
		putText(w, "login", "none")
	} else {
		putText(w, "login", u.Name)
	}
	w.Key("avatar_url").Null()
	putWord(w, "name", u.Name)
	putText(w, "vcs_type", s.words.kinds[v])
	putNumber(w, "id", u.ID)
	w.End()
}

// surroundingsToWire writes what a job belongs to.
func (s *Service) surroundingsToWire(w *wire.Builder, j job, shallow bool) {
	b := &j.build
	putText(w, "job_name", b.JobName)
	putText(w, "fleet", "stoa")
	putText(w, "platform", "2.0")
	putBool(w, "has_artifacts", b.Artifacts)
	s.userToWire(w.Key("user"), b.Actor, j.vcs)
	if b.Workflow.ID == "" {
		w.Key("workflows").Null()
	} else {
		f := b.Workflow
		w.Key("workflows").Object()
		putText(w, "job_name", b.JobName)
		putText(w, "job_id", f.JobID)
		putText(w, "workflow_id", f.ID)
		putText(w, "workspace_id", f.WorkspaceID)
		putTexts(w, "upstream_job_ids", f.Upstream)
		w.Key("upstream_concurrency_map").Object().End()
		putText(w, "workflow_name", f.Name)
		w.End()
	}
	if !shallow {
		w.Key("build_parameters").JSON(b.Parameters)
	}
}

// insideToWire writes what only the detail has.
func (s *Service) insideToWire(w *wire.Builder, j job) {
	b := &j.build
	w.Key("node").Null()
	w.Key("messages").Array()
	for _, m := range b.Messages {
		w.Object().Key("type").Text(m.Type).Key("message").Text(m.Message).End()
	}
	w.End()
	w.Key("ssh_users").Array()
	for _, u := range b.SSHUsers {
		w.Object()
		putInt(w, s.words.codeHostID, u.ID)
		putText(w, "login", u.Name)
		w.End()
	}
	w.End()
	putBool(w, "ssh_enabled", false)
	w.Key(s.words.configMember).Object().Key("string").Text(j.details.Config).End()
	s.commitsToWire(w.Key("all_commit_details"), j)
	putBool(w, "all_commit_details_truncated", len(j.details.Commits) >= forge.MaxCommits)
	w.Key("feature_flags").Object().End()
	putTexts(w, "owners", []string{j.repo.Owner.Name})
	w.Key("context_ids").Array().End()
	s.stepsToWire(w.Key("steps"), j)
}

func (s *Service) commitsToWire(w *wire.Builder, j job) {
	w.Array()
	for _, c := range j.details.Commits {
		subject, body, _ := strings.Cut(c.Message, "\n")
		w.Object()
		putText(w, "commit", c.SHA)
		putText(w, "commit_url", s.vcsURL(j.repo, j.vcs)+"/commit/"+c.SHA)
		putWord(w, "branch", j.build.Branch)
		putText(w, "subject", subject)
		putText(w, "body", strings.TrimSpace(body))
		w.Key("author_login").Null()
		putText(w, "author_name", c.Author.Name)
		putText(w, "author_email", c.Author.Email)
		putTime(w, "author_date", c.Author.At)
		w.Key("committer_login").Null()
		putText(w, "committer_name", c.Committer.Name)
		putText(w, "committer_email", c.Committer.Email)
		putTime(w, "committer_date", c.Committer.At)
		w.End()
	}
	w.End()
}

// stepsToWire groups actions by step.
func (s *Service) stepsToWire(w *wire.Builder, j job) {
	w.Array()
	for i := 0; i < len(j.actions); {
		step := j.actions[i].Step
		w.Object()
		putText(w, "name", j.actions[i].Name)
		w.Key("actions").Array()
		for ; i < len(j.actions) && j.actions[i].Step == step; i++ {
			s.actionToWire(w, j, &j.actions[i])
		}
		w.End().End()
	}
	w.End()
}

func (s *Service) actionToWire(w *wire.Builder, j job, a *Action) {
	w.Object()
	putText(w, "name", a.Name)
	putWord(w, "bash_command", a.Command)
	putText(w, "type", a.Kind)
	putInt(w, "step", int64(a.Step))
	putInt(w, "index", int64(a.Node))
	putBool(w, "parallel", j.build.Parallel > 1)
	putText(w, "status", string(a.Status))
	putTime(w, "start_time", a.StartedAt)
	putTime(w, "end_time", a.EndedAt)
	if a.EndedAt.IsZero() {
		w.Key("run_time_millis").Null()
	} else {
		putInt(w, "run_time_millis", a.EndedAt.Sub(a.StartedAt).Milliseconds())
	}
	if a.ExitCode == nil {
		w.Key("exit_code").Null()
	} else {
		putInt(w, "exit_code", *a.ExitCode)
	}
	putBool(w, "failed", a.Status == ActionFailed)
	putBool(w, "timedout", a.Status == ActionTimedOut)
	putBool(w, "canceled", a.Status == ActionCanceled)
	putBool(w, "infrastructure_fail", a.Status == ActionBroken)
	w.Key("continue").Null()
	putBool(w, "background", a.Background)
	putBool(w, "has_output", a.OutputSize > 0)
	if a.OutputSize > 0 {
		putText(w, "output_url", s.outputURL(j, a))
	} else {
		w.Key("output_url").Null()
	}
	putBool(w, "truncated", a.Truncated)
	putBool(w, "insignificant", false)
	putText(w, "allocation_id", fmt.Sprintf("%d-%d", j.build.ID, a.Node))
	w.Key("messages").Array().End()
	putText(w, "source", "config")
	w.End()
}

// outputLife is how long the address of an output can be read without a token.
const outputLife = 24 * time.Hour

// outputURL leads to what an action printed. Clients fetch it without a token,
// so it carries a signature of its own.
func (s *Service) outputURL(j job, a *Action) string {
	path := fmt.Sprintf("/output/%d/%d", a.Step, a.Node)
	expires := strconv.FormatInt(s.now().Add(outputLife).Unix(), 10)
	q := url.Values{"expires": {expires}, "signature": {s.outputSignature(j.build.ID, a.Step, a.Node, expires)}}
	return s.apiURL(j.repo, j.vcs, j.build.Num) + path + "?" + q.Encode()
}

func (s *Service) outputSignature(id int64, step, node int, expires string) string {
	sum := hmac.New(sha256.New, s.world.Seal.Derive("pipelines output"))
	fmt.Fprintf(sum, "%d/%d/%d/%s", id, step, node, expires)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// signed reports whether an address of an output carries a living signature.
func (s *Service) signed(q url.Values, id int64, step, node int) bool {
	expires, signature := q.Get("expires"), q.Get("signature")
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || s.now().Unix() > at {
		return false
	}
	return hmac.Equal([]byte(signature), []byte(s.outputSignature(id, step, node, expires)))
}
