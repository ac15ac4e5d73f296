package pipelines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

const (
	dueKind       = "pipelines.due"
	scheduledKind = "pipelines.scheduled"
)

// duePayload is one due time of a schedule.
type duePayload struct {
	RepoID   int64       `json:"repo"`
	Branch   string      `json:"branch"`
	Workflow string      `json:"workflow"`
	Cron     string      `json:"cron"`
	Actor    forge.Actor `json:"actor"`
	Due      time.Time   `json:"due"`
}

func (p duePayload) row() project.Schedule { return project.Schedule(p) }

// maxProjectSchedules bounds the schedules of all branches of a project.
const maxProjectSchedules = 100

// timetable makes the schedules of a branch those of its newest configuration. A schedule that stays keeps its due
// time, so that a push neither loses nor doubles one, and its actor, unless that one is disabled or removed.
func (s *Service) timetable(ctx context.Context, tx *database.Tx, p *plan) error {
	if p.why != build.WhyPush || p.continues || p.Branch == "" {
		return nil
	}
	old, err := project.Schedules(ctx, tx, p.repo.ID, p.Branch)
	if err != nil {
		return err
	}
	wanted, err := schedulesFor(p.schedules, p.Branch)
	if err != nil || len(old)+len(wanted) == 0 {
		return p.refuseText(err)
	}
	for _, r := range old {
		at := slices.IndexFunc(wanted, func(w recipe.Schedule) bool { return w.Workflow == r.Workflow && w.Cron == r.Cron })
		if at >= 0 {
			wanted = slices.Delete(wanted, at, at+1)
			if err := s.takeOver(ctx, tx, r, p.actor); err != nil {
				return err
			}
			continue
		}
		if err := project.DeleteSchedule(ctx, tx, r); err != nil {
			return err
		}
	}
	taken, err := project.CountSchedules(ctx, tx, p.repo.ID)
	if err != nil {
		return err
	}
	if taken+int64(len(wanted)) > maxProjectSchedules {
		p.refuse(build.Failed, "The branches of the project have %d schedules and this push adds %d, at most %d are kept; "+
			"let fewer branches have them.", taken, len(wanted), maxProjectSchedules)
		return nil
	}
	for _, w := range wanted {
		r := project.Schedule{
			RepoID: p.repo.ID, Branch: p.Branch, Workflow: w.Workflow, Cron: w.Cron, Actor: p.actor, Due: w.Next(s.now()),
		}
		if err := project.InsertSchedule(ctx, tx, r); err != nil {
			return err
		}
		if err := s.enqueueDue(ctx, tx, r, p.repo); err != nil {
			return err
		}
	}
	return nil
}

// takeOver makes the user who pushes answer for a schedule whose actor may do nothing any more.
func (s *Service) takeOver(ctx context.Context, tx *database.Tx, r project.Schedule, actor forge.Actor) error {
	err := s.mayGoOn(ctx, tx, r.Actor)
	if errors.Is(err, identity.ErrDisabled) {
		return project.TakeOverSchedule(ctx, tx, r, actor)
	}
	return err
}

// schedulesFor are the schedules that admit a branch, each once.
func schedulesFor(all []recipe.Schedule, branch string) (out []recipe.Schedule, err error) {
	for _, w := range all {
		admitted, err := w.Admits(branch)
		if err != nil {
			return nil, err
		}
		known := slices.ContainsFunc(out, func(o recipe.Schedule) bool {
			return o.Workflow == w.Workflow && o.Cron == w.Cron
		})
		if admitted && !known {
			out = append(out, w)
		}
	}
	return out, nil
}

// enqueueDue waits for a due time once: a schedule that is taken away and comes back finds what it had asked for.
func (s *Service) enqueueDue(ctx context.Context, tx *database.Tx, r project.Schedule, repo forge.Repository) error {
	text, err := json.Marshal(duePayload(r))
	if err != nil {
		return err
	}
	same := sha256.Sum256(text)
	_, err = s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
		Kind: dueKind, At: r.Due, Owner: build.OwnerKey(build.OwnerOf(r.Actor, repo)),
		Payload: duePayload(r), Dedupe: hex.EncodeToString(same[:]),
	})
	return err
}

// due moves a schedule to its next due time and asks for the jobs of this one, in one transaction: a second attempt,
// after a crash or in another process, finds the row elsewhere. It reads no configuration, so that what stands in one
// cannot end a schedule. Due times that passed while no process ran are made up for once.
func (s *Service) due(ctx context.Context, p duePayload) error {
	repo, err := s.forge.Repository(ctx, p.RepoID)
	if errors.Is(err, forge.ErrNotFound) {
		return nil // deleted meanwhile, and the schedule with it
	}
	if err != nil {
		return err
	}
	after := s.now()
	if p.Due.After(after) { // the clock of this process is behind that of another
		after = p.Due
	}
	next, err := recipe.NextDue(p.Cron, after)
	if err != nil {
		return err
	}
	err = s.change(ctx, repo.ID, func(ctx context.Context, tx *database.Tx) error {
		moved, err := project.MoveSchedule(ctx, tx, p.row(), next)
		if errors.Is(err, database.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.enqueueDue(ctx, tx, moved, repo); err != nil {
			return err
		}
		now := p
		now.Actor = moved.Actor
		_, err = s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
			Kind: scheduledKind, Key: project.Lane(repo.ID), Owner: build.OwnerKey(build.OwnerOf(now.Actor, repo)), Payload: now,
		})
		return err
	})
	var full *limit.Exceeded
	if errors.As(err, &full) { // what waits of the owner comes first; this due time follows it
		return jobs.Postpone(err, full.RetryAfter)
	}
	return err
}

// scheduled makes the jobs of a workflow whose time has come, once: request is the id of the row that asks for them,
// which may be run again after a crash.
func (s *Service) scheduled(ctx context.Context, request string, p duePayload) error {
	repo, err := s.forge.Repository(ctx, p.RepoID)
	if errors.Is(err, forge.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	t := trigger{repo: repo, actor: p.Actor, why: build.WhySchedule, schedule: p.Workflow, request: request}
	t.Branch = p.Branch
	plan, err := s.plan(ctx, t)
	if err != nil && !refusal.Has(err) {
		return err
	}
	asked := slices.ContainsFunc(plan.schedules, func(w recipe.Schedule) bool {
		return w.Workflow == p.Workflow && w.Cron == p.Cron
	})
	if err != nil || !asked { // the branch is gone, or a push that is not looked at yet has changed its schedules
		return s.change(ctx, repo.ID, func(ctx context.Context, tx *database.Tx) error {
			return project.DeleteSchedule(ctx, tx, p.row())
		})
	}
	_, err = s.makeBuilds(ctx, plan)
	return err
}
