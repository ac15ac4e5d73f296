package releases

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/operation"
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
