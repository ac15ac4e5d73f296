package releases

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/operation"
)

type result = operation.Result

type releaseRequest struct {
	TagName         *string `json:"tag_name"`
	TargetCommitish *string `json:"target_commitish"`
	Name            *string `json:"name"`
	Body            *string `json:"body"`
	Draft           *bool   `json:"draft"`
	Prerelease      *bool   `json:"prerelease"`
}

// onto changes a release to what the request says.
func (in releaseRequest) onto(r *Release) {
	for _, row := range []struct {
		from *string
		to   *string
	}{{in.TagName, &r.Tag}, {in.TargetCommitish, &r.Target}, {in.Name, &r.Name}, {in.Body, &r.Body}} {
		if row.from != nil {
			*row.to = *row.from
		}
	}
	if in.Draft != nil {
		r.Draft = *in.Draft
	}
	if in.Prerelease != nil {
		r.Prerelease = *in.Prerelease
	}
}

// Routes are the operations.
func (s *Releases) Routes() []route.Route {
	const releases = "/repos/{owner}/{repo}/releases"
	read, change := s.host.Read, s.host.Change
	return []route.Route{
		read(releases, "list_releases", s.handleReleases),
		change("POST", releases, "create_release", s.handleCreateRelease),
		read(releases+"/latest", "get_latest_release", s.handleLatestRelease),
		read(releases+"/tags/{tag...}", "get_release_by_tag", s.handleReleaseByTag),
		read(releases+"/{id}", "get_release", s.handleRelease),
		change("PATCH", releases+"/{id}", "update_release", s.handleUpdateRelease),
		change("DELETE", releases+"/{id}", "delete_release", s.handleDeleteRelease),
		read(releases+"/{id}/assets", "list_release_assets", s.handleReleaseAssets),
	}
}

func (s *Releases) reading(r *route.Request) (operation.Subject, error) {
	return s.host.Reading(r, forge.ScopeContentsRead, forge.ScopeContentsWrite)
}

func toWire(at operation.Subject, r Release) releaseJSON {
	return releaseToWire(r, at.Base, at.Repo.FullName())
}

// handleReleases lists releases, the newest first.
func (s *Releases) handleReleases(r *route.Request) (result, error) {
	at, err := s.reading(r)
	if err != nil {
		return result{}, err
	}
	page := s.host.Page(r)
	list, total, err := listReleases(r.Context(), s.host.DB, at.Repo.ID, at.May >= forge.Write, page.Size, page.Offset)
	out := []releaseJSON{}
	for _, one := range list {
		out = append(out, toWire(at, one))
	}
	return operation.ListOf(out, total), err
}

// handleCreateRelease makes a release, and its tag when there is none.
func (s *Releases) handleCreateRelease(r *route.Request) (result, error) {
	var in releaseRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	at, err := s.host.Changing(r, forge.Write, forge.ScopeContentsWrite)
	if err != nil {
		return result{}, err
	}
	made := Release{Target: at.Repo.DefaultBranch}
	in.onto(&made)
	if made, err = s.create(r.Context(), at, made); err != nil {
		return result{}, err
	}
	out := toWire(at, made)
	return operation.Created(out, out.URL), nil
}

func (s *Releases) handleLatestRelease(r *route.Request) (result, error) {
	at, err := s.reading(r)
	if err != nil {
		return result{}, err
	}
	found, err := latestRelease(r.Context(), s.host.DB, at.Repo.ID)
	return operation.OK(toWire(at, found)), visible(at, found, err)
}

func (s *Releases) handleReleaseByTag(r *route.Request) (result, error) {
	at, err := s.reading(r)
	if err != nil {
		return result{}, err
	}
	found, err := releaseByTag(r.Context(), s.host.DB, at.Repo.ID, r.PathValue("tag"))
	return operation.OK(toWire(at, found)), visible(at, found, err)
}

func (s *Releases) handleRelease(r *route.Request) (result, error) {
	at, found, err := s.one(r)
	return operation.OK(toWire(at, found)), err
}

func (s *Releases) one(r *route.Request) (at operation.Subject, found Release, err error) {
	if at, err = s.reading(r); err != nil {
		return at, found, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return at, found, err
	}
	found, err = s.find(r.Context(), at, id)
	return at, found, err
}

// handleReleaseAssets lists the files of a release: there are none but the archives.
func (s *Releases) handleReleaseAssets(r *route.Request) (result, error) {
	at, found, err := s.one(r)
	return operation.ListOf(toWire(at, found).Assets, 0), err
}

// handleUpdateRelease changes a release; one that stops being a draft is published.
func (s *Releases) handleUpdateRelease(r *route.Request) (result, error) {
	var in releaseRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	at, err := s.host.Changing(r, forge.Write, forge.ScopeContentsWrite)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return result{}, err
	}
	changed, err := s.edit(r.Context(), at, id, in.onto)
	return operation.OK(toWire(at, changed)), err
}

func (s *Releases) handleDeleteRelease(r *route.Request) (result, error) {
	at, err := s.host.Changing(r, forge.Write, forge.ScopeContentsWrite)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return result{}, err
	}
	return operation.Empty(), s.remove(r.Context(), at, id)
}
