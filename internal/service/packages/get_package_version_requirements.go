package packages

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// GetVersion is the document of a version.
func (s *Service) GetVersion(ctx context.Context, k catalog.VersionKey) (document.Version, error) {
	if err := k.Check(); err != nil {
		return document.Version{}, errInvalid("%v", err)
	}
	return s.resolveVersion(ctx, k.Canonical())
}

// resolveVersion finds a version by its canonical key, asking the registry
// where the store knows nothing or not enough.
func (s *Service) resolveVersion(ctx context.Context, k catalog.VersionKey) (document.Version, error) {
	v, missing, err := s.version(ctx, k)
	if err != nil {
		return document.Version{}, err
	}
	if missing {
		err := s.pullListed(ctx, k.Package())
		if err == nil {
			if v, missing, err = s.version(ctx, k); err != nil {
				return document.Version{}, err
			}
		}
		if missing && k.System == catalog.Go && !errors.Is(err, errStored) && ctx.Err() == nil {
			// A module proxy has versions that its lists do not name.
			if err = s.readRequirements(ctx, k); err == nil {
				v, missing, err = s.version(ctx, k)
			}
		}
		if err != nil {
			return document.Version{}, s.fetchError(ctx, err, "version")
		}
		if missing {
			return document.Version{}, errNotFound("version")
		}
	}
	if v.complete || s.config.Offline {
		return v.doc, nil
	}
	if err := s.completeVersion(ctx, k); err != nil {
		if ctx.Err() != nil {
			return document.Version{}, ctx.Err()
		}
		// What the list told is served rather than nothing.
		return v.doc, nil
	}
	if v, missing, err = s.version(ctx, k); err != nil || missing {
		return document.Version{}, orNotFound(err, "version")
	}
	return v.doc, nil
}

// pullListed asks the registry for a package whose version list lacks what
// was asked for, unless it was asked within the time a "not found" counts.
func (s *Service) pullListed(ctx context.Context, k catalog.PackageKey) error {
	row, err := findPackage(ctx, s.world.DB, k)
	missing, err := none(err)
	if err != nil {
		return err
	}
	if !missing && s.world.Clock.Now().Sub(row.checked) < s.config.MissingFor {
		return errMissing
	}
	return s.readPackage(ctx, k)
}

// version looks a version up in memory and store.
func (s *Service) version(ctx context.Context, k catalog.VersionKey) (v stored, missing bool, err error) {
	key := versionCacheKey(k)
	v, mark, ok := s.versions.Look(key)
	if ok {
		return v, false, nil
	}
	v, err = findVersion(ctx, s.world.DB, k)
	if missing, err = none(err); missing || err != nil {
		return v, missing, err
	}
	s.versions.PutSince(key, v, mark)
	return v, false, nil
}

// GetRequirements is the declared requirements of a version, encoded.
func (s *Service) GetRequirements(ctx context.Context, k catalog.VersionKey) ([]byte, error) {
	if err := k.Check(); err != nil {
		return nil, errInvalid("%v", err)
	}
	if !k.System.HasRequirements() {
		return nil, &Error{Code: CodeNotFound, Message: "requirements are not available for " + string(k.System)}
	}
	k = k.Canonical()
	if _, err := s.resolveVersion(ctx, k); err != nil {
		return nil, err
	}
	doc, _, err := findRequirements(ctx, s.world.DB, k)
	if missing, err := none(err); missing || err != nil {
		return nil, orNotFound(err, "version")
	}
	if len(doc) == 0 {
		return nil, errNotFound("requirements")
	}
	return catalog.Served(doc), nil
}

// GetPackage is the document of a package.
func (s *Service) GetPackage(ctx context.Context, k catalog.PackageKey, e document.Edition) ([]byte, error) {
	if err := k.Check(); err != nil {
		return nil, errInvalid("%v", err)
	}
	k = k.Canonical()
	p, missing, err := s.listed(ctx, k, e)
	if err != nil {
		return nil, err
	}
	had, partial := p, !missing && p.checked.Equal(unlisted())
	if !missing && !partial {
		if !p.checked.IsZero() && s.world.Clock.Now().Sub(p.checked) > s.config.FreshFor {
			// An old list is served at once; the next caller gets the new one.
			s.refresh(ctx, k)
		}
		return p.doc, nil
	}
	if err := s.readPackage(ctx, k); err != nil {
		if partial && !errors.Is(err, errStored) {
			return had.doc, ctx.Err()
		}
		return nil, s.fetchError(ctx, err, "package")
	}
	if p, missing, err = s.listed(ctx, k, e); err == nil && missing {
		err = errNotFound("package")
	}
	return p.doc, err
}

// listed looks a package's document up in memory and store.
func (s *Service) listed(
	ctx context.Context, k catalog.PackageKey, e document.Edition,
) (p storedPackage, missing bool, err error) {
	key := packageCacheKey(k, e)
	p, mark, ok := s.listings.Look(key)
	if ok {
		return p, false, nil
	}
	p, err = packageDocument(ctx, s.world.DB, k, e)
	if missing, err = none(err); missing || err != nil {
		return p, missing, err
	}
	s.listings.PutSince(key, p, mark)
	return p, false, nil
}

// newCache keeps values for a limited time. A transaction of this process forgets what it
// changes; what other processes on the same database change shows after that time.
func newCache[V any](c clock.Clock, limit int64, ttl time.Duration, size func(V) int) *memo.Sharded[string, V] {
	cost := func(key string, v V) int { return len(key) + size(v) }
	return memo.NewSharded(memo.Options[string, V]{Limit: int(limit), Cost: cost, Clock: c, TTL: ttl})
}
