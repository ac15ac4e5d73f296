package pipelines

import (
	"context"
	"runtime"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// pipelineValues are the facts that a configuration may name.
func (s *Service) pipelineValues(ctx context.Context, p *plan) (map[string]any, error) {
	subject, body, _ := strings.Cut(p.commit.Message, "\n")
	before := p.before
	if before == forge.Zero {
		before = ""
	}
	out := map[string]any{
		"pipeline.trigger_source":          triggerSource(p.why),
		"pipeline.project.git_url":         s.names.RepoURL(s.world.URL(ctx), p.repo, vcs.A),
		"pipeline.project.type":            s.names.Type(vcs.A),
		"pipeline.project.slug":            s.names.Type(vcs.A) + "/" + p.repo.FullName(),
		"pipeline.git.branch.is_default":   p.Branch != "" && p.Branch == p.repo.DefaultBranch,
		"pipeline.git.revision":            p.commit.SHA,
		"pipeline.git.base_revision":       before,
		"pipeline.git.repo_owner":          p.repo.Owner.Name,
		"pipeline.git.repo_name":           p.repo.Name,
		"pipeline.git.commit.subject":      subject,
		"pipeline.git.commit.body":         strings.TrimSpace(body),
		"pipeline.git.commit.author_login": p.actor.Name,
		"pipeline.git.commit.author_name":  p.commit.Author.Name,
		"pipeline.git.commit.author_email": p.commit.Author.Email,
		"pipeline.schedule.name":           p.schedule,
	}
	// Most configurations name neither, and a number is a write.
	if strings.Contains(p.config, "pipeline.id") {
		if p.pipelineID == "" {
			p.pipelineID = s.world.IDs.UUID()
		}
		out["pipeline.id"] = p.pipelineID
	}
	if strings.Contains(p.config, "pipeline.number") {
		if p.pipelineNumber == 0 {
			if err := s.takePipelineNumber(ctx, p); err != nil {
				return nil, err
			}
		}
		out["pipeline.number"] = p.pipelineNumber
	}
	return out, nil
}

func triggerSource(why build.Why) string {
	switch why {
	case build.WhyPush:
		return "webhook"
	case build.WhySchedule:
		return "scheduled_pipeline"
	default:
		return "api"
	}
}

// takePipelineNumber counts a pipeline whose configuration asks for its number.
func (s *Service) takePipelineNumber(ctx context.Context, p *plan) error {
	return s.change(ctx, p.repo.ID, func(ctx context.Context, tx *database.Tx) (err error) {
		if _, err := project.Ensure(ctx, tx, p.repo.ID, s.now()); err != nil {
			return err
		}
		p.pipelineNumber, err = build.TakePipelineNumber(ctx, tx, p.repo.ID)
		return err
	})
}

// hostSystem is what jobs run on here, in the words of configurations.
func hostSystem() string {
	if runtime.GOOS == "darwin" {
		return recipe.MacOS
	}
	return runtime.GOOS
}

// isForeign reports whether a job is written for another system and must not be tried here.
func (s *Service) isForeign(j *recipe.Job) bool {
	return j.System != "" && j.System != hostSystem() && !s.config.RunForeign
}
