package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// maxConfig is the largest configuration that is read.
const maxConfig = 1 << 20

// buildError is the name of the job that tells of a configuration that cannot
// be used.
const buildError = "Build Error"

// trigger is a wish for jobs.
type trigger struct {
	// wish names what asks for the jobs when it may ask twice; see takeWish.
	wish  string
	repo  forge.Repository
	actor forge.Actor
	why   Why
	// branch and tag are short names; revision is the commit, or empty for the
	// branch's head.
	branch, tag, revision string
	// only names one job.
	only       string
	parallel   int64
	parameters map[string]string
	// pipeline are values for the parameters that the configuration declares.
	pipeline map[string]any
	noCache  bool
	// commits are those of the push, before is where the branch stood.
	commits []forge.Commit
	before  string
}

// storedPlan is what the worker needs to know of a job.
type storedPlan struct {
	Job      recipe.Job `json:"job"`
	Webhooks []string   `json:"webhooks,omitempty"`
}

// prepared is a trigger with everything read that its jobs need.
type prepared struct {
	trigger
	commit   forge.Commit
	config   string
	webhooks []string
	jobs     []recipe.Job
	// refusal is why there is nothing to run, as an outcome and a message.
	refusal Outcome
	message string
	skip    string
}

// prepare reads commit and configuration. It runs git, so it is no part of any
// transaction.
func (s *Service) prepare(ctx context.Context, t trigger) (prepared, error) {
	p := prepared{trigger: t}
	revision, err := s.revisionOf(ctx, t)
	if err != nil {
		return p, fromForge(err)
	}
	from, ok := s.sources.get(sourceKey{t.repo.ID, revision})
	if !ok {
		if from.commit, err = s.forge.Commit(ctx, t.repo, revision); err != nil {
			return p, fromForge(err)
		}
		if from.config, err = s.configAt(ctx, t.repo, from.commit.SHA); err != nil {
			return p, err
		}
		s.sources.put(sourceKey{t.repo.ID, from.commit.SHA}, from)
	}
	p.commit, p.config, p.revision = from.commit, from.config, from.commit.SHA
	if t.why == WhyPush && skips(p.commit.Message) {
		p.skip = DontBuildSkip
	}
	return p, s.read(&p)
}

// revisionOf is the wished revision, or else what the branch or tag names.
func (s *Service) revisionOf(ctx context.Context, t trigger) (string, error) {
	switch {
	case t.revision != "":
		return t.revision, nil
	case t.tag != "":
		return s.forge.Head(ctx, t.repo, "refs/tags/"+t.tag)
	}
	return s.forge.Head(ctx, t.repo, "refs/heads/"+t.branch)
}

// configAt is the configuration at a revision, empty when there is none.
func (s *Service) configAt(ctx context.Context, r forge.Repository, revision string) (string, error) {
	for _, name := range s.words.configFiles {
		text, err := s.forge.File(ctx, r, revision, name, maxConfig)
		if errors.Is(err, forge.ErrNotFound) {
			continue
		}
		return string(text), fromForge(err)
	}
	return "", nil
}

// read plans the jobs. What is wrong with the configuration is told by a job,
// so that whoever pushed it sees it.
func (s *Service) read(p *prepared) error {
	if p.config == "" {
		p.refusal, p.message = NoTests, fmt.Sprintf("There is no %s at this revision.", s.words.configFiles[0])
		return nil
	}
	file, err := recipe.Parse([]byte(p.config))
	if err != nil {
		p.refusal, p.message = Failed, err.Error()
		return nil
	}
	p.webhooks = file.Webhooks
	if p.jobs, err = file.Plan(recipe.Revision{Branch: p.branch, Tag: p.tag, Parameters: p.pipeline, Only: p.only}); err != nil {
		p.refusal, p.message = Failed, err.Error()
		return nil
	}
	p.bound()
	return nil
}

// maxKept bounds what a trigger keeps for all its jobs together: each has the
// configuration and the commits besides its own plan.
const maxKept = 32 << 20

// bound refuses a trigger whose jobs would keep too much.
func (p *prepared) bound() {
	each := len(p.config) + len(p.commit.Message)
	for _, c := range p.commits {
		each += len(c.Message)
	}
	for name, value := range p.parameters {
		each += len(name) + len(value)
	}
	if each*len(p.jobs) > maxKept {
		p.refusal, p.message = Failed, fmt.Sprintf("The configuration, the messages of the commits and the parameters have %d bytes and are kept with each of %d jobs, more than %d bytes in all; make fewer jobs or shorten them.",
			each, len(p.jobs), maxKept)
	}
}

// skips reports whether a commit asks not to be built.
func skips(message string) bool {
	title, body, _ := strings.Cut(message, "\n")
	for _, part := range []string{title, strings.TrimSpace(body)} {
		if len(part) > 250 {
			part = part[:250]
		}
		if strings.Contains(part, "[ci skip]") || strings.Contains(part, "[skip ci]") {
			return true
		}
	}
	return false
}

// enter writes the jobs of a trigger, all or none, and returns them in order.
func (s *Service) enter(ctx context.Context, p prepared) ([]Build, error) {
	var builds []Build
	err := s.change(ctx, p.repo.ID, func(ctx context.Context, tx *database.Tx) error {
		p := p // what one try decides is no part of the next
		builds = nil
		now := s.now()
		if fresh, err := takeWish(ctx, tx, p.repo.ID, p.wish, now); err != nil || !fresh {
			return err
		}
		if err := ensureProject(ctx, tx, p.repo.ID, now); err != nil {
			return err
		}
		row, err := projectByID(ctx, tx, p.repo.ID)
		if err != nil {
			return err
		}
		if !row.enabled && p.why == WhyPush {
			return nil
		}
		if p.actor.ID != 0 {
			if err := autoFollow(ctx, tx, p.actor.ID, p.repo.ID, now); err != nil {
				return err
			}
		}
		if err := s.admit(ctx, tx, &p); err != nil {
			return err
		}
		settings := parseSettings(row.settings)
		if err := s.supersede(ctx, tx, p, settings); err != nil {
			return err
		}
		builds, err = s.insertAll(ctx, tx, p, settings.flag(flagOSS) && !p.repo.Private)
		return err
	})
	return builds, err
}

// admit refuses jobs beyond the bounds of unfinished ones. A push has nobody who
// reads an answer: a job that has failed says why.
func (s *Service) admit(ctx context.Context, tx *database.Tx, p *prepared) error {
	if p.refusal != "" || p.skip != "" || len(p.jobs) == 0 {
		return nil
	}
	err := s.roomFor(ctx, tx, ownerOf(p.actor, p.repo), p.repo.ID, len(p.jobs))
	var busy *Error
	if p.why == WhyPush && errors.As(err, &busy) {
		p.refusal, p.message = Failed, busy.Message
		return nil
	}
	return err
}

// roomFor refuses jobs beyond the bounds of unfinished ones. Until the
// transaction ends nobody else adds jobs of the owner.
func (s *Service) roomFor(ctx context.Context, tx *database.Tx, owner, repoID int64, more int) error {
	if err := lockOwner(ctx, tx, owner); err != nil {
		return err
	}
	owned, projects, err := openJobs(ctx, tx, owner, repoID)
	if err != nil {
		return err
	}
	limits := s.config.Queue
	switch n := int64(more); {
	case owned+n > limits.OwnerJobs:
		return errBusy("account", owned, n, limits.OwnerJobs)
	case projects+n > limits.ProjectJobs:
		return errBusy("project", projects, n, limits.ProjectJobs)
	}
	return nil
}

// supersede cancels what earlier pushes to the branch still have under way.
// The default branch is left alone: every state of it counts.
func (s *Service) supersede(ctx context.Context, tx *database.Tx, p prepared, settings settings) error {
	if p.why != WhyPush || p.branch == "" || p.branch == p.repo.DefaultBranch || !settings.flag(flagAutoCancel) {
		return nil
	}
	open, err := openOnBranch(ctx, tx, p.repo.ID, p.branch)
	if err != nil {
		return err
	}
	for i := range open {
		note := Message{Type: "info", Message: "A newer push to " + p.branch + " took this job's place."}
		if _, err := s.stopJob(ctx, tx, open[i].ID, "", func(b *Build) { b.Messages = append(b.Messages, note) }); err != nil {
			return err
		}
	}
	return nil
}

// isTransition tells of an event that came too late: the job has ended.
func isTransition(err error) bool {
	var refused *TransitionError
	return errors.As(err, &refused)
}

// insertAll numbers and writes the jobs.
func (s *Service) insertAll(ctx context.Context, tx *database.Tx, p prepared, oss bool) ([]Build, error) {
	jobs := p.jobs
	if p.refusal != "" || p.skip != "" {
		jobs = []recipe.Job{{Name: buildError, Parallelism: 1}}
	}
	if p.refusal == NoTests || p.skip != "" {
		jobs[0].Name = "build"
	}
	if p.refusal == NoTests && p.why == WhyPush || len(jobs) == 0 {
		return nil, nil // nothing asks for jobs here
	}
	last, err := takeNumbers(ctx, tx, p.repo.ID, len(jobs))
	if err != nil {
		return nil, err
	}
	builds := make([]Build, 0, len(jobs))
	flows := map[string]string{}
	ids := map[string]string{}
	for i, job := range jobs {
		b := s.describe(p, job, last-int64(len(jobs)-1-i), oss)
		if job.Workflow != "" {
			if flows[job.Workflow] == "" {
				flows[job.Workflow] = s.world.IDs.UUID()
			}
			b.Workflow = Workflow{
				ID: flows[job.Workflow], Name: job.Workflow, JobID: s.world.IDs.UUID(), WorkspaceID: flows[job.Workflow],
				Requires: job.Requires, Approval: job.Approval,
			}
			ids[job.Workflow+"\x00"+job.Name] = b.Workflow.JobID
			for _, name := range job.Requires {
				b.Workflow.Upstream = append(b.Workflow.Upstream, ids[job.Workflow+"\x00"+name])
			}
		}
		if err := s.insertOne(ctx, tx, p, job, &b); err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	return builds, nil
}

// describe is a job as it is born.
func (s *Service) describe(p prepared, job recipe.Job, num int64, oss bool) Build {
	now := s.now()
	subject, body, _ := strings.Cut(p.commit.Message, "\n")
	b := Build{
		RepoID: p.repo.ID, OwnerID: ownerOf(p.actor, p.repo), Num: num, JobName: job.Name, Branch: p.branch, Revision: p.commit.SHA, Tag: p.tag,
		Committer: p.commit.Committer, Author: p.commit.Author, Subject: subject, Body: strings.TrimSpace(body),
		Why: p.why, PushedAt: now, UsageQueuedAt: now, State: born(), Parallel: max(1, int64(job.Parallelism)),
		OSS: oss, NoCache: p.noCache, Actor: p.actor, Parameters: json.RawMessage("{}"),
	}
	if p.parallel > 0 {
		b.Parallel = p.parallel
	}
	if p.before != "" && p.before != forge.Zero {
		b.Compare = p.before + "..." + p.commit.SHA
	}
	if len(p.parameters) > 0 {
		// A map of strings always has a JSON form.
		if raw, err := json.Marshal(p.parameters); err == nil {
			b.Parameters = raw
		}
	}
	return b
}

// insertOne writes one job in the state that it starts with.
func (s *Service) insertOne(ctx context.Context, tx *database.Tx, p prepared, job recipe.Job, b *Build) error {
	var err error
	if b.Previous, err = previousOf(ctx, tx, b); err != nil {
		return err
	}
	if b.Success, err = successBefore(ctx, tx, b); err != nil {
		return err
	}
	event := Event{Kind: EventReady}
	switch {
	case p.skip != "":
		b.DontBuild, event = p.skip, Event{Kind: EventSkip}
	case p.refusal != "":
		b.FailReason, event = p.message, Event{Kind: EventRefuse, Outcome: p.refusal}
		b.Messages = []Message{{Type: "error", Message: p.message}}
		b.StopTime = s.now()
	case len(job.Requires) > 0, job.Approval:
		return s.write(ctx, tx, p, job, b)
	}
	if b.State, err = b.State.Apply(event); err != nil {
		return err
	}
	if b.State.Lifecycle == Queued {
		b.QueuedAt = s.now()
	}
	return s.write(ctx, tx, p, job, b)
}

func (s *Service) write(ctx context.Context, tx *database.Tx, p prepared, job recipe.Job, b *Build) error {
	plan, err := json.Marshal(storedPlan{Job: job, Webhooks: p.webhooks})
	if err != nil {
		return fmt.Errorf("plan of %s: %w", job.Name, err)
	}
	commits := p.commits
	if len(commits) == 0 {
		commits = []forge.Commit{p.commit}
	}
	if b.ID, err = insertBuild(ctx, tx, *b, Details{Config: p.config, Plan: plan, Commits: slices.Clone(commits)}); err != nil {
		return err
	}
	b.Version = 1
	s.announce(tx, b)
	return nil
}

// announce wakes whoever waits for a job's change, once it is durable.
func (s *Service) announce(tx *database.Tx, b *Build) {
	id, queued := b.ID, b.State.Lifecycle == Queued
	tx.OnCommit(func() {
		if queued {
			s.queue.wake()
		}
		s.queue.changed(id)
	})
}
