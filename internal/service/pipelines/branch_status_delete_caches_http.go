package pipelines

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type statusJSON struct {
	Branch   wire.Text `json:"branch"`
	Status   string    `json:"status"`
	BuildNum *int64    `json:"build_num"`
	BuildURL string    `json:"build_url,omitempty"`
}

// handleStatus says how a branch stands, for badges of one's own.
func (s *Service) handleStatus(r *route.Request, t target) (any, error) {
	branch := r.Query().Get("branch")
	if branch == "" {
		branch = t.repo.DefaultBranch
	}
	b, err := s.Status(r.Context(), t.repo, branch, r.Query().Get("job"))
	if err != nil {
		return nil, err
	}
	if b == nil {
		return statusJSON{Branch: wire.Text(branch), Status: "no_builds"}, nil
	}
	page := s.buildURL(s.world.URL(r.Context()), t.repo, t.kind, b.Num)
	return statusJSON{wire.Text(branch), string(b.State.Status), &b.Num, page}, nil
}

type deletedJSON struct {
	Status string `json:"status"`
}

func (s *Service) handleDeleteCaches(r *route.Request, t target) (any, error) {
	if err := s.runner.DeleteCaches(r.Context(), t.repo.ID); err != nil {
		return nil, err
	}
	return deletedJSON{"build caches deleted"}, nil
}
