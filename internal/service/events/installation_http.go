package events

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
)

func (s *Service) installationRoutes() []route.Route {
	const pattern = "/installation/repositories"
	return []route.Route{s.reads(pattern, "list_installation_repos", route.Optional, s.handleInstalledRepos)}
}

// installedRepos is a page of what an installation token is for.
type installedRepos struct {
	TotalCount          int64          `json:"total_count"`
	RepositorySelection string         `json:"repository_selection"`
	Repositories        []objects.Repo `json:"repositories"`
}

func (s *Service) handleInstalledRepos(r *route.Request) (reply, error) {
	c := identity.From(r)
	if c == nil {
		return reply{}, route.ErrNoCredential
	}
	if c.Kind != identity.KindInstallation {
		return reply{}, errForbidden("Resource not accessible by this token")
	}
	ctx, at := r.Context(), listPage(r)
	viewer, err := s.forge.Viewer(ctx, c)
	if err != nil || viewer.Installed == nil {
		return reply{body: installedRepos{Repositories: []objects.Repo{}}}, err
	}
	list, total, err := s.forge.List(ctx, forge.RepositoryQuery{
		Viewer: viewer, InstalledOnly: viewer.Installed, Order: forge.ByName, Limit: at.size, Offset: at.offset(),
	})
	if err != nil {
		return reply{}, err
	}
	out := installedRepos{TotalCount: total, RepositorySelection: "all"}
	if viewer.Installed.Selected || viewer.LimitedToken != 0 {
		out.RepositorySelection = "selected"
	}
	out.Repositories, err = s.repoObjects(r, list)
	return s.listReply(r, out, at, total), err
}
