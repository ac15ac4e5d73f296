package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

const continueKind = "pipelines.continue"

// continuePayload is the configuration with which a setup job continues its pipeline.
type continuePayload struct {
	RepoID     int64  `json:"repo"`
	BuildID    int64  `json:"build"`
	Config     string `json:"config"`
	Parameters string `json:"parameters"`
}

// continuation puts what a setup job hands on into the queue.
func (s *Service) continuation(
	ctx context.Context, tx *database.Tx, b *build.Build, config, parameters []byte,
) error {
	_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
		Kind: continueKind, Key: project.Lane(b.RepoID), Owner: build.OwnerKey(b.OwnerID),
		Payload: continuePayload{
			RepoID: b.RepoID, BuildID: b.ID, Config: build.Storable(string(config)),
			Parameters: build.Storable(string(parameters)),
		},
	})
	return err
}

// continueRequest names a setup: the runs of it that the platform repeats, one after the other, have the name of the
// first, and one that a user asks for has its own.
func (s *Service) continueRequest(ctx context.Context, first build.Build) (name string, err error) {
	for first.Why == build.WhyRebuild && first.RetryOf != 0 {
		if first, err = build.ByNum(ctx, s.world.DB, first.RepoID, first.RetryOf); err != nil {
			return "", err
		}
	}
	if first.Workflow.ID != "" && first.Why != build.WhyRetry && first.Why != build.WhySSH {
		return "continue/" + first.Workflow.ID, nil
	}
	return "continue/" + strconv.FormatInt(first.Num, 10), nil
}

// continued makes the jobs of the second part of a pipeline, once for each setup: a setup job that is run again after
// its worker was lost continues nothing a second time.
func (s *Service) continued(ctx context.Context, p continuePayload) error {
	repo, err := s.forge.Repository(ctx, p.RepoID)
	if errors.Is(err, forge.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	b, err := build.ByID(ctx, s.world.DB, p.BuildID)
	if errors.Is(err, database.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	first, err := build.PlanOf(ctx, s.world.DB, b.ID)
	if err != nil {
		return err
	}
	request, err := s.continueRequest(ctx, b)
	if err != nil {
		return err
	}
	t := trigger{
		repo: repo, actor: b.Actor, why: b.Why, continues: true, request: request,
		pipelineID: first.PipelineID, pipelineNumber: first.PipelineNumber,
	}
	t.Branch, t.Tag, t.Revision, t.Config = b.Branch, b.Tag, b.Revision, p.Config
	// The jobs of the second part have the variables of the first.
	if err := json.Unmarshal(b.Parameters, &t.Parameters); err != nil {
		return err
	}
	wrong := json.Unmarshal([]byte(p.Parameters), &t.Pipeline)
	plan, err := s.plan(ctx, t)
	if refusal.Has(err) {
		return nil // the commit is gone
	}
	if err != nil {
		return err
	}
	if wrong != nil {
		plan.refuse(build.Failed, "The parameters with which the pipeline continues are no JSON object.")
	}
	_, err = s.makeBuilds(ctx, plan)
	return err
}
