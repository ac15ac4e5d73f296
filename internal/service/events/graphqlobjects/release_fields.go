package graphqlobjects

import (
	"errors"
	"strings"

	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/refusal"
	"stoa.dev/stoa/internal/service/events/releases"
)

type release struct {
	releases.Release
	repo *repository
}

// optionalRelease is a release, or nil when there is none for the caller.
func optionalRelease(found releases.Release, err error, p *repository) (any, error) {
	var refused *refusal.Error
	if errors.As(err, &refused) && refused.Code == refusal.CodeNotFound {
		return nil, nil
	}
	return &release{found, p}, err
}

// addReleaseFields adds the releases of a repository.
func addReleaseFields(out map[string]graphql.Resolver) {
	out["releases"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		s, err := p.subject(c)
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(c.Input("orderBy").Text("field"), "NAME") {
			return nil, invalid("Releases are ordered by `CREATED_AT` alone.")
		}
		ascending := strings.EqualFold(c.Input("orderBy").Text("direction"), "ASC")
		return c.Page(func(size int, offset int64) ([]any, int64, error) {
			return p.releases(c, func(size int, offset int64) ([]releases.Release, int64, error) {
				return p.request.graph.Releases.List(c.Context, s, size, offset)
			}, ascending, size, offset)
		})
	})
	out["release"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		s, err := p.subject(c)
		if err != nil {
			return nil, err
		}
		if err := c.Spend(storeSteps); err != nil {
			return nil, err
		}
		found, err := p.request.graph.Releases.ByTag(c.Context, s, c.Text("tagName"))
		return optionalRelease(found, err, p)
	})
	out["latestRelease"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		s, err := p.subject(c)
		if err != nil {
			return nil, err
		}
		if err := c.Spend(storeSteps); err != nil {
			return nil, err
		}
		found, err := p.request.graph.Releases.Latest(c.Context, s)
		return optionalRelease(found, err, p)
	})
}

// releases reads a part of a list whose newest come first, from the other end when ascending.
func (p *repository) releases(
	c *graphql.Call, list func(size int, offset int64) ([]releases.Release, int64, error),
	ascending bool, size int, offset int64,
) ([]any, int64, error) {
	if err := c.Spend(2 * storeSteps); err != nil {
		return nil, 0, err
	}
	if ascending && size > 0 {
		_, total, err := list(0, 0)
		if err != nil || offset >= total {
			return nil, total, err
		}
		size = int(min(int64(size), total-offset))
		offset = total - offset - int64(size)
	}
	found, total, err := list(size, offset)
	out := make([]any, 0, len(found))
	for i := range found {
		at := i
		if ascending {
			at = len(found) - 1 - i
		}
		out = append(out, &release{found[at], p})
	}
	return out, total, err
}

func releaseFields() map[string]graphql.Resolver {
	of := func(value func(r *release) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, r *release) (any, error) { return value(r), nil })
	}
	path := func(r *release) string {
		return "/" + r.repo.FullName() + "/releases/tag/" + objects.EscapePath(r.Tag)
	}
	return map[string]graphql.Resolver{
		"id":           of(func(r *release) any { return objects.NodeID("Release", r.ID) }),
		"databaseId":   of(func(r *release) any { return r.ID }),
		"name":         of(func(r *release) any { return orNull(r.Name) }),
		"tagName":      of(func(r *release) any { return r.Tag }),
		"description":  of(func(r *release) any { return orNull(r.Body) }),
		"isDraft":      of(func(r *release) any { return r.Draft }),
		"isPrerelease": of(func(r *release) any { return r.Prerelease }),
		"createdAt":    of(func(r *release) any { return r.CreatedAt }),
		"publishedAt":  of(func(r *release) any { return r.PublishedAt }),
		"url":          of(func(r *release) any { return objects.Pages(r.repo.request.base) + path(r) }),
		"resourcePath": of(func(r *release) any { return path(r) }),
		"repository":   of(func(r *release) any { return r.repo }),
		"author": of(func(r *release) any {
			if by, ok := r.repo.request.actor(r.Author).(*user); ok {
				return by
			}
			return nil
		}),
		"isLatest": graphql.Of(func(c *graphql.Call, r *release) (any, error) {
			latest, err := r.repo.latestRelease(c)
			return latest == r.ID, err
		}),
	}
}

// latestRelease is the number of the latest release, zero when there is none.
func (p *repository) latestRelease(c *graphql.Call) (int64, error) {
	if id, ok := p.request.latest[p.ID]; ok {
		return id, nil
	}
	if err := c.Spend(storeSteps); err != nil {
		return 0, err
	}
	s, err := p.subject(c)
	if err != nil {
		return 0, err
	}
	found, err := p.request.graph.Releases.Latest(c.Context, s)
	var refused *refusal.Error
	if err != nil && !errors.As(err, &refused) {
		return 0, err
	}
	p.request.latest[p.ID] = found.ID
	return found.ID, nil
}
