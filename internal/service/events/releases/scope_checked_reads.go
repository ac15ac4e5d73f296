package releases

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

func mayRead(at operation.Subject) error {
	return at.MayRead(forge.ScopeContentsRead, forge.ScopeContentsWrite)
}

// List is a part of the releases that the caller may see, the newest first.
func (s *Releases) List(
	ctx context.Context, at operation.Subject, size int, offset int64,
) ([]Release, int64, error) {
	if err := mayRead(at); err != nil {
		return nil, 0, err
	}
	return listReleases(ctx, s.host.DB, at.Repo.ID, at.May >= forge.Write, size, offset)
}

// Latest is the newest release that is neither a draft nor a prerelease.
func (s *Releases) Latest(ctx context.Context, at operation.Subject) (Release, error) {
	if err := mayRead(at); err != nil {
		return Release{}, err
	}
	r, err := latestRelease(ctx, s.host.DB, at.Repo.ID)
	return r, visible(at, r, err)
}

// ByTag is the release of a tag.
func (s *Releases) ByTag(ctx context.Context, at operation.Subject, tag string) (Release, error) {
	if err := mayRead(at); err != nil {
		return Release{}, err
	}
	r, err := releaseByTag(ctx, s.host.DB, at.Repo.ID, tag)
	return r, visible(at, r, err)
}

// Repo is the repository of a release. It does not ask who wants to know: the repository does.
func (s *Releases) Repo(ctx context.Context, id int64) (int64, error) {
	repoID, err := releaseRepo(ctx, s.host.DB, id)
	if errors.Is(err, database.ErrNotFound) {
		err = refusal.NotFound()
	}
	return repoID, err
}

// Find is a release by its number.
func (s *Releases) Find(ctx context.Context, at operation.Subject, id int64) (Release, error) {
	if err := mayRead(at); err != nil {
		return Release{}, err
	}
	return s.find(ctx, at, id)
}
