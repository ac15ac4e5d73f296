package apps

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// installedRepos is a page of what an installation token is for.
type installedRepos struct {
	TotalCount          int64          `json:"total_count"`
	RepositorySelection string         `json:"repository_selection"`
	Repositories        []objects.Repo `json:"repositories"`
}

func (a *Apps) handleInstalledRepos(r *route.Request) (result, error) {
	c := identity.From(r)
	if c == nil {
		return result{}, route.ErrNoCredential
	}
	if c.Kind != identity.KindInstallation {
		return result{}, refusal.Forbidden("Resource not accessible by this token")
	}
	ctx, at := r.Context(), a.host.Page(r)
	viewer, err := a.host.Forge.Viewer(ctx, c)
	if err != nil || viewer.Installed == nil {
		return operation.OK(installedRepos{Repositories: []objects.Repo{}}), err
	}
	list, total, err := a.host.Forge.List(ctx, forge.RepositoryQuery{
		Viewer: viewer, InstalledOnly: viewer.Installed, Order: forge.ByName, Limit: at.Size, Offset: at.Offset,
	})
	if err != nil {
		return result{}, err
	}
	out := installedRepos{TotalCount: total, RepositorySelection: "all"}
	if viewer.Installed.Selected || viewer.LimitedToken != 0 {
		out.RepositorySelection = "selected"
	}
	out.Repositories, err = a.host.Repos(r, list)
	return operation.ListOf(out, total), err
}
