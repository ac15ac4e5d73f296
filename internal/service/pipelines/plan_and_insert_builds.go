package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// plan reads commit and configuration. It runs git, so it must not be part of a transaction.
func (s *Service) plan(ctx context.Context, t trigger) (plan, error) {
	p := plan{trigger: t}
	revision, err := s.revisionOf(ctx, t)
	if err != nil {
		return p, fromForge(err)
	}
	var ok bool
	if p.source, ok = s.sources.Get(sourceKey{t.repo.ID, revision}); !ok {
		if p.commit, err = s.forge.Commit(ctx, t.repo, revision); err != nil {
			return p, fromForge(err)
		}
		if p.config, p.file, err = s.configAt(ctx, t.repo, p.commit.SHA); err != nil {
			return p, err
		}
		s.sources.Put(sourceKey{t.repo.ID, p.commit.SHA}, p.source)
	}
	if t.why == build.WhyPush && skips(p.commit.Message) {
		p.skip = build.DontBuildSkip
	}
	if t.Config != "" {
		p.config, p.file = t.Config, "the configuration of the request"
	}
	return p, s.planJobs(ctx, &p)
}

// revisionOf is the named revision, or else what the branch or tag names.
func (s *Service) revisionOf(ctx context.Context, t trigger) (string, error) {
	switch {
	case t.Revision != "":
		return t.Revision, nil
	case t.Tag != "":
		return s.forge.Head(ctx, t.repo, "refs/tags/"+t.Tag)
	}
	return s.forge.Head(ctx, t.repo, "refs/heads/"+t.Branch)
}

// configAt is the configuration at a revision and the name of its file, empty when there is none.
func (s *Service) configAt(ctx context.Context, r forge.Repository, revision string) (config, file string, err error) {
	for _, name := range s.words.configFiles {
		text, err := s.forge.File(ctx, r, revision, name, maxConfig)
		if errors.Is(err, forge.ErrNotFound) {
			continue
		}
		return string(text), name, fromForge(err)
	}
	return "", s.words.configFiles[0], nil
}

// refuse makes a plan of one job that says why there is nothing to run, so that the author of the push sees it.
func (p *plan) refuse(outcome build.Outcome, format string, args ...any) {
	p.refusal, p.message = outcome, fmt.Sprintf(format, args...)
}

// planJobs reads the jobs of the configuration. Only what hinders us is an error; what is wrong with the configuration
// refuses the plan.
func (s *Service) planJobs(ctx context.Context, p *plan) error {
	if p.config == "" {
		p.refuse(build.NoTests, "There is no %s at this revision.", s.words.configFiles[0])
		return nil
	}
	options := recipe.Options{Name: p.file, Images: s.config.UsesImages()}
	if s.config.Orbs != "" {
		options.Orbs = s.findOrb
	}
	file, err := options.Parse([]byte(p.config))
	if err != nil {
		return p.refuseText(err)
	}
	if p.continues && file.Setup {
		p.refuse(build.Failed, "%s: a configuration that continues a pipeline cannot be a setup again.", p.file)
		return nil
	}
	values, err := s.pipelineValues(ctx, p)
	if err != nil {
		return err
	}
	p.webhooks, p.schedules = file.Webhooks, file.Schedules()
	p.jobs, err = file.Plan(recipe.Revision{
		Branch: p.Branch, Tag: p.Tag, Parameters: p.Pipeline, Only: p.Job, Values: values, Schedule: p.schedule,
	})
	if err != nil {
		return p.refuseText(err)
	}
	p.checkSize()
	return nil
}

// refuseText refuses a plan for what is wrong with the text; other errors are ours.
func (p *plan) refuseText(err error) error {
	var wrong *recipe.Error
	if !errors.As(err, &wrong) {
		return err
	}
	p.refuse(build.Failed, "%s", err)
	return nil
}

// checkSize refuses a plan whose jobs together keep too much.
func (p *plan) checkSize() {
	each := len(p.config) + len(p.commit.Message)
	for _, c := range p.commits {
		each += len(c.Message)
	}
	for name, value := range p.Parameters {
		each += len(name) + len(value)
	}
	if each*len(p.jobs) > maxStored {
		p.refuse(build.Failed, "The configuration, the messages of the commits and the parameters have %d bytes "+
			"and are "+
			"kept with each of %d jobs, more than %d bytes in all; make fewer jobs or shorten them.",
			each, len(p.jobs), maxStored)
	}
}

// skipWithin is how many characters of a title or a body are looked at.
const skipWithin = 250

// skips reports whether a commit asks not to be built.
func skips(message string) bool {
	title, body, _ := strings.Cut(message, "\n")
	for _, part := range []string{title, strings.TrimSpace(body)} {
		seen := 0
		for at := range part {
			if seen++; seen > skipWithin {
				part = part[:at]
				break
			}
		}
		if strings.Contains(part, "[ci skip]") || strings.Contains(part, "[skip ci]") {
			return true
		}
	}
	return false
}

// makeBuilds writes the jobs of a plan, all or none, and returns them in order.
func (s *Service) makeBuilds(ctx context.Context, p plan) ([]build.Build, error) {
	var builds []build.Build
	err := s.change(ctx, p.repo.ID, func(ctx context.Context, tx *database.Tx) error {
		p := p // what one try decides must not be part of the next
		builds = nil
		now := s.now()
		if err := s.projects.StillThere(ctx, tx, p.repo.ID); err != nil {
			return err // reading the plan took a while
		}
		if fresh, err := build.TakeRequest(ctx, tx, p.repo.ID, p.request, now); err != nil || !fresh {
			return err
		}
		row, err := project.Ensure(ctx, tx, p.repo.ID, now)
		if err != nil {
			return err
		}
		if err := s.timetable(ctx, tx, &p); err != nil {
			return err
		}
		if !row.Enabled && !p.asked() || p.why == build.WhyFirst && row.LastNum != 0 {
			return nil // of those who follow at the same moment one asks for the first job
		}
		if err := s.refuseDisabled(ctx, tx, &p); err != nil {
			return err
		}
		if p.actor.UserID() != 0 {
			if err := project.AutoFollow(ctx, tx, p.actor.ID, p.repo.ID, now); err != nil {
				return err
			}
		}
		settings := row.Settings()
		overtaken, err := s.overtaken(ctx, tx, p, settings)
		if err != nil {
			return err
		}
		if err := s.admit(ctx, tx, &p, overtaken); err != nil {
			return err
		}
		if err := s.supersede(ctx, tx, p, overtaken); err != nil {
			return err
		}
		builds, err = s.insertBuilds(ctx, tx, p, settings.Flag(project.FlagOSS) && !p.repo.Private)
		return err
	})
	return builds, err
}

// mayGoOn is nil while what a user began may go on; what an application began always may.
func (s *Service) mayGoOn(ctx context.Context, q database.Querier, a forge.Actor) error {
	return grants.Initiator{UserID: a.UserID()}.MayGoOn(ctx, q, s.now())
}

// refuseDisabled refuses the jobs of a user who was disabled or removed since the push, or since the schedule was
// made. A job says so instead: others wait for it.
func (s *Service) refuseDisabled(ctx context.Context, tx *database.Tx, p *plan) error {
	if !p.starts() {
		return nil
	}
	err := s.mayGoOn(ctx, tx, p.actor)
	if !errors.Is(err, identity.ErrDisabled) {
		return err
	}
	p.refuse(build.Failed, "The account %s, which asked for this, is disabled or removed.", refusal.Quote(p.actor.Name))
	if p.why == build.WhySchedule {
		p.message += " The next user who pushes to the branch answers for its schedules."
	}
	return nil
}

// asked reports whether a client waits for the jobs; otherwise a push or the clock asks for them.
func (t trigger) asked() bool {
	return t.why != build.WhyPush && t.why != build.WhySchedule && !t.continues
}

// starts reports whether the plan has jobs to run: not one that only says why there is nothing to run.
func (p *plan) starts() bool { return p.refusal == "" && p.skip == "" && len(p.jobs) > 0 }

// overtaken are the unfinished jobs of earlier pushes to the branch, which those of the plan take the place of. The
// default branch is left alone: every state of it counts.
func (s *Service) overtaken(
	ctx context.Context, tx *database.Tx, p plan, settings project.Settings,
) ([]build.Build, error) {
	if !p.starts() || p.why != build.WhyPush || p.continues || p.Branch == "" || p.Branch == p.repo.DefaultBranch ||
		!settings.Flag(project.FlagAutoCancel) {
		return nil, nil
	}
	return build.OpenPushes(ctx, tx, p.repo.ID, p.Branch)
}

// admit refuses jobs beyond the bounds of unfinished ones, of which some are overtaken. No client reads the answer to a
// push: a failed job says why.
func (s *Service) admit(ctx context.Context, tx *database.Tx, p *plan, overtaken []build.Build) error {
	if !p.starts() {
		return nil
	}
	err := s.runner.Admit(ctx, tx, build.OwnerOf(p.actor, p.repo), p.repo.ID, len(p.jobs), overtaken...)
	if !p.asked() && refusal.Has(err) {
		p.refuse(build.Failed, "%s", err)
		return nil
	}
	return err
}

// supersede cancels what a plan has overtaken, unless nothing of the plan may start.
func (s *Service) supersede(ctx context.Context, tx *database.Tx, p plan, overtaken []build.Build) error {
	if !p.starts() {
		return nil
	}
	note := build.Message{Type: "info", Message: "A newer push to " + p.Branch + " took this job's place."}
	for i := range overtaken {
		_, err := s.runner.Cancel(ctx, tx, overtaken[i].ID, "",
			func(b *build.Build) { b.Messages = append(b.Messages, note) })
		if err != nil {
			return err
		}
	}
	return nil
}

// insertBuilds numbers and writes the jobs of a plan.
func (s *Service) insertBuilds(ctx context.Context, tx *database.Tx, p plan, oss bool) ([]build.Build, error) {
	jobs := p.jobs
	if p.refusal != "" || p.skip != "" {
		jobs = []recipe.Job{{Name: buildError, Parallelism: 1}}
	}
	if p.refusal == build.NoTests || p.skip != "" {
		jobs[0].Name = "build"
	}
	if p.refusal == build.NoTests && !p.asked() || len(jobs) == 0 {
		return nil, nil // nothing asks for jobs here
	}
	last, err := build.TakeNumbers(ctx, tx, p.repo.ID, len(jobs))
	if err != nil {
		return nil, err
	}
	builds := make([]build.Build, 0, len(jobs))
	flows, ids := map[string]string{}, map[string]string{}
	for i, job := range jobs {
		b := s.newBuild(p, job, last-int64(len(jobs)-1-i), oss)
		if job.Workflow != "" {
			if flows[job.Workflow] == "" {
				flows[job.Workflow] = s.world.IDs.UUID()
			}
			b.Workflow = build.Workflow{
				ID: flows[job.Workflow], Name: job.Workflow, JobID: s.world.IDs.UUID(),
				WorkspaceID: flows[job.Workflow],
				Requires:    job.Requires, Approval: job.Approval,
			}
			ids[job.Workflow+"\x00"+job.Name] = b.Workflow.JobID
			for _, name := range job.Requires {
				b.Workflow.Upstream = append(b.Workflow.Upstream, ids[job.Workflow+"\x00"+name])
			}
		}
		if err := s.insertBuild(ctx, tx, p, job, &b); err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	return builds, s.advanceRefused(ctx, tx, builds)
}

// advanceRefused moves workflows on of which a job was refused: what requires it never runs.
func (s *Service) advanceRefused(ctx context.Context, tx *database.Tx, builds []build.Build) error {
	for i := range builds {
		if b := &builds[i]; b.Workflow.ID != "" && b.State.Ended() {
			if err := s.runner.AdvanceWorkflow(ctx, tx, b.Workflow.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// newBuild is a job before anything has happened to it.
func (s *Service) newBuild(p plan, job recipe.Job, num int64, oss bool) build.Build {
	now := s.now()
	subject, body, _ := strings.Cut(p.commit.Message, "\n")
	b := build.Build{
		RepoID: p.repo.ID, OwnerID: build.OwnerOf(p.actor, p.repo), Num: num, JobName: job.Name,
		Branch: p.Branch, Revision: p.commit.SHA, Tag: p.Tag, Committer: p.commit.Committer, Author: p.commit.Author,
		Subject: subject, Body: strings.TrimSpace(body), Why: p.why, PushedAt: now, UsageQueuedAt: now,
		State: build.NewState(), Parallel: max(1, int64(job.Parallelism)), OSS: oss, NoCache: p.NoCache, Actor: p.actor,
		Parameters: json.RawMessage("{}"),
	}
	if p.Parallel > 0 {
		b.Parallel = p.Parallel
	}
	if p.before != "" && p.before != forge.Zero {
		b.Compare = p.before + "..." + p.commit.SHA
	}
	if len(p.Parameters) > 0 {
		// A map of strings always has a JSON form.
		if raw, err := json.Marshal(p.Parameters); err == nil {
			b.Parameters = raw
		}
	}
	return b
}

// insertBuild writes one job in the state that it starts with.
func (s *Service) insertBuild(ctx context.Context, tx *database.Tx, p plan, job recipe.Job, b *build.Build) error {
	if err := b.FindPrevious(ctx, tx); err != nil {
		return err
	}
	event := build.Event{Kind: build.EventReady}
	b.Messages = append(build.Warnings(job), p.notes...)
	if p.refusal == "" && s.isForeign(&job) {
		p.refuse(build.Failed, "The job is written for %s and was not run: this machine runs %s. The operator may let such "+
			"jobs run with the programs of this machine (pipelines.run_foreign).", job.System, hostSystem())
	}
	switch {
	case p.skip != "":
		b.DontBuild, event = p.skip, build.Event{Kind: build.EventSkip}
	case p.refusal != "":
		// The warnings say how the job runs here, and it does not run.
		b.FailReason, event = p.message, build.Event{Kind: build.EventRefuse, Outcome: p.refusal}
		b.Messages = append([]build.Message{{Type: "error", Message: p.message}}, p.notes...)
		b.StopTime = s.now()
	case len(job.Requires) > 0, job.Approval:
		event.Kind = ""
	}
	if event.Kind != "" {
		var err error
		if b.State, err = b.State.Apply(event); err != nil {
			return err
		}
	}
	if b.State.Lifecycle == build.Queued {
		b.QueuedAt = s.now()
	}
	stored, err := json.Marshal(build.Plan{
		Job: job, Webhooks: p.webhooks, PipelineID: p.pipelineID, PipelineNumber: p.pipelineNumber,
	})
	if err != nil {
		return fmt.Errorf("plan of %s: %w", job.Name, err)
	}
	commits := p.commits
	if len(commits) == 0 {
		commits = []forge.Commit{p.commit}
	}
	details := build.Details{Config: p.config, Plan: stored, Commits: slices.Clone(commits)}
	if err := build.Insert(ctx, tx, b, details); err != nil {
		return err
	}
	if job.SerialGroup != "" {
		// The projects of one owner share their groups.
		group := fmt.Sprintf("%s/%d/%s", p.repo.Owner.Kind, p.repo.Owner.ID, job.SerialGroup)
		if err := build.SetSerialGroup(ctx, tx, b.ID, group); err != nil {
			return err
		}
	}
	s.runner.Announce(tx, b)
	return nil
}
