package packages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/sharedwork"
	"stoa.dev/stoa/internal/service/packages/source"
)

// errMissing means that the registry says there is no such package.
var errMissing = errors.New("the registry has no such package")

// errStored means that a registry would have to be asked and is not.
var errStored = &Error{Code: CodeUnavailable, refused: true, Message: "a registry would have to be asked"}

// readPackage reads a package's version list from its registry and stores it.
// Many callers share one fetch; a "not found" is remembered for a while.
func (s *Service) readPackage(ctx context.Context, k catalog.PackageKey) error {
	if s.config.Offline {
		return errMissing
	}
	if _, gone := s.missing.Get(k.String()); gone {
		return errMissing
	}
	return s.fetch(ctx, "package "+k.String(), k, func(ctx context.Context) error { return s.fetchPackage(ctx, k) })
}

// fetch asks a registry unless that is under way already, and waits for it.
func (s *Service) fetch(ctx context.Context, key string, k catalog.PackageKey, work func(context.Context) error) error {
	if askerOf(ctx).stored {
		return errStored
	}
	shared, err := s.fetchWork(ctx, k, work)
	if err != nil {
		return err
	}
	_, err = sharedwork.Share(ctx, s.fetches, key, shared)
	return err
}

// taskMemory is what a fetch takes before any answer has come.
const taskMemory = 64 << 10

// fetchWork is a fetch that callers share. It is counted against the limits of the
// caller who starts it, and takes that caller's places and memory.
func (s *Service) fetchWork(
	ctx context.Context, k catalog.PackageKey, work func(context.Context) error,
) (flight.Work[struct{}], error) {
	if err := s.sources.used(k.System); err != nil {
		return nil, err
	}
	a := askerOf(ctx)
	if kind := kindOf(k.System); a.foreign && len(s.config.Registries.byKind()[kind]) == 0 {
		return nil, errNoRegistry(kind, "those found on this machine are not asked for web pages of other sites")
	}
	run := func(ctx context.Context) (struct{}, error) {
		memory, err := s.world.Memory.Take(ctx, a.owner(), taskMemory)
		if err != nil {
			return struct{}{}, err
		}
		defer memory.Release()
		return struct{}{}, work(registry.WithTask(withAsker(ctx, a), registry.Task{
			Kind: kindOf(k.System), Package: k.String(), Owner: a.owner(), Memory: memory,
		}))
	}
	inPlace := sharedwork.Bounded(s.fetchPlaces, a.owner(), s.config.PullTimeout, run)
	return func(ctx context.Context) (struct{}, error) {
		if err := s.admit(ctx, a); err != nil {
			return struct{}{}, &sharedwork.RefusedError{Err: err}
		}
		return inPlace(ctx)
	}, nil
}

func (s *Service) fetchPackage(ctx context.Context, k catalog.PackageKey) error {
	src, err := s.sources.of(ctx, k.System)
	if err != nil {
		return err
	}
	row, err := findPackage(ctx, s.world.DB, k)
	if _, err = none(err); err != nil {
		return err
	}
	_, mark, _ := s.missing.Look(k.String())
	list, err := src.Package(ctx, k.Name, source.Validators{ETag: row.etag, LastModified: row.modified})
	now := s.world.Clock.Now()
	switch {
	case errors.Is(err, registry.ErrNotModified):
		return s.touch(ctx, k, now)
	case errors.Is(err, registry.ErrNotFound):
		s.missing.PutSince(k.String(), struct{}{}, mark)
		if row.id == 0 {
			return errMissing
		}
		// What is stored of it stays, and is not asked about before its turn.
		return cmp.Or(s.touch(ctx, k, now), errMissing)
	case err != nil:
		return fmt.Errorf("read %s: %w", k, err)
	}
	from := origin{etag: list.Validators.ETag, modified: list.Validators.LastModified, checked: now}
	a := askerOf(ctx)
	// Of a package that is there a list may never have been stored: a graph brings single versions.
	first := row.id == 0 || row.checked.Equal(unlisted())
	if first {
		if err := s.admitVersions(ctx, a, len(list.Package.Versions)); err != nil {
			return err
		}
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if first && !a.operator() {
			if err := countFetched(ctx, tx, int64(len(list.Package.Versions)), s.config.MaxFetched); err != nil {
				return err
			}
		}
		return s.upsert(ctx, tx, &list.Package, from)
	})
}

// touch notes that the registry has been asked about a package, if it is known.
func (s *Service) touch(ctx context.Context, k catalog.PackageKey, at time.Time) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		tx.OnCommit(func() { s.forgetLists(k) })
		return touchPackage(ctx, tx, k, at)
	})
}

// refresh asks the registry about a known package; the caller does not wait.
// After a failure it is left alone for a while.
func (s *Service) refresh(ctx context.Context, k catalog.PackageKey) {
	failed := "refresh " + k.String()
	if _, lately := s.missing.Get(failed); lately || s.config.Offline {
		return
	}
	work, err := s.fetchWork(ctx, k, func(ctx context.Context) error {
		_, mark, _ := s.missing.Look(failed)
		err := s.fetchPackage(ctx, k)
		if err != nil {
			s.missing.PutSince(failed, struct{}{}, mark)
		}
		return err
	})
	// Where no registry may be asked nothing is refreshed; nor while the service
	// closes or is busy, or the caller's limit is used up.
	if err == nil {
		s.fetches.Go("package "+k.String(), work)
	}
}

// temporary reports whether a fetch that failed so may go well another time.
func temporary(err error) bool {
	var exceeded *limit.Exceeded
	var own *Error
	return registry.Temporary(err) || errors.As(err, &exceeded) || errors.As(err, &own) || errors.Is(err,
		flight.ErrClosed)
}

// completeVersion is readVersion that does not ask again for a while about a
// version whose details the registry does not have or says in no known way. A
// registry that did not answer this time is asked the next time; the client
// leaves it alone by itself when it keeps silent.
func (s *Service) completeVersion(ctx context.Context, k catalog.VersionKey) error {
	key := "details " + k.String()
	_, mark, lately := s.missing.Look(key)
	if lately {
		return errMissing
	}
	err := s.readVersion(ctx, k)
	if err != nil && ctx.Err() == nil && !temporary(err) {
		s.missing.PutSince(key, struct{}{}, mark)
	}
	return err
}

// readRequirements reads what a version needs and no more, also of one that no
// list names. A "not found" is remembered for a while.
func (s *Service) readRequirements(ctx context.Context, k catalog.VersionKey) error {
	key := "details " + k.String()
	_, mark, lately := s.missing.Look(key)
	if lately || s.config.Offline {
		return errMissing
	}
	err := s.fetch(ctx, "requirements "+k.String(), k.Package(), func(ctx context.Context) error {
		src, err := s.sources.of(ctx, k.System)
		if err != nil {
			return err
		}
		from, ok := src.(source.Requirer)
		if !ok {
			return errMissing
		}
		needs, err := from.Requires(ctx, k)
		if errors.Is(err, registry.ErrNotFound) {
			return errMissing
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", k, err)
		}
		return s.storeRequirements(ctx, k, needs)
	})
	if errors.Is(err, errMissing) {
		s.missing.PutSince(key, struct{}{}, mark)
	}
	return err
}

// storeRequirements stores a version of which no more is known.
func (s *Service) storeRequirements(ctx context.Context, k catalog.VersionKey, needs *catalog.Requirements) error {
	a := askerOf(ctx)
	if err := s.admitVersions(ctx, a, 1); err != nil {
		return err
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if !a.operator() {
			if err := countFetched(ctx, tx, 1, s.config.MaxFetched); err != nil {
				return err
			}
		}
		one := catalog.Version{Key: k}
		had, err := storedVersion(ctx, tx, k)
		if missing, err := none(err); err != nil {
			return err
		} else if !missing {
			one = *had
		}
		one.Requires = needs
		return s.upsert(ctx, tx, &catalog.Package{Key: k.Package(), Versions: []catalog.Version{one}}, origin{partial: true})
	})
}

// undetailed reports whether the registry was asked lately and could not tell
// more of a version.
func (s *Service) undetailed(k catalog.VersionKey) bool {
	_, lately := s.missing.Get("details " + k.String())
	return lately
}

// readVersion completes a version that is listed but not yet known in full.
func (s *Service) readVersion(ctx context.Context, k catalog.VersionKey) error {
	if s.config.Offline {
		return errMissing
	}
	return s.fetch(ctx, "version "+k.String(), k.Package(), func(ctx context.Context) error {
		return s.fetchVersion(ctx, k)
	})
}

func (s *Service) fetchVersion(ctx context.Context, k catalog.VersionKey) error {
	src, err := s.sources.of(ctx, k.System)
	if err != nil {
		return err
	}
	listed, err := storedVersion(ctx, s.world.DB, k)
	if err != nil {
		return err
	}
	full, err := src.Version(ctx, *listed)
	if err != nil {
		return fmt.Errorf("read %s: %w", k, err)
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		now, err := storedVersion(ctx, tx, k)
		if err != nil {
			return err
		}
		v := *full
		if now.Deprecated != listed.Deprecated {
			// A list that was read meanwhile knows better.
			v.Deprecated = now.Deprecated
		}
		return s.upsert(ctx, tx, &catalog.Package{Key: k.Package(), Versions: []catalog.Version{v}}, origin{})
	})
}

// storedVersion is a version with all that is stored of it.
func storedVersion(ctx context.Context, q database.Querier, k catalog.VersionKey) (*catalog.Version, error) {
	row, err := findVersionRow(ctx, q, k)
	if err != nil {
		return nil, err
	}
	return row.decode()
}

// readDigests fetches the files of a version of which not all digests are known. A
// file that does not have the digest that its registry told is an error.
func (s *Service) readDigests(ctx context.Context, k catalog.VersionKey) error {
	v, err := storedVersion(ctx, s.world.DB, k)
	if err != nil {
		return err
	}
	read := map[string][]catalog.Hash{}
	for i := range v.Artifacts {
		a := &v.Artifacts[i]
		if len(a.Hashes) >= len(catalog.HashTypes()) {
			continue
		}
		if err := s.fetch(ctx, "file "+a.URL, k.Package(), func(ctx context.Context) error {
			res, err := s.sources.client.Get(ctx, registry.Request{URL: a.URL})
			if err == nil {
				a.Hashes, err = source.CheckedHashes(a.Hashes, res.Body)
			}
			return err
		}); err != nil {
			return fmt.Errorf("%s: %w", a.URL, err)
		}
		read[a.URL] = a.Hashes
	}
	if len(read) == 0 {
		return nil
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		// Only the digests: files take a while, in which the list may have changed.
		v, err := storedVersion(ctx, tx, k)
		if err != nil {
			return err
		}
		for i := range v.Artifacts {
			if hashes := read[v.Artifacts[i].URL]; len(hashes) > len(v.Artifacts[i].Hashes) {
				v.Artifacts[i].Hashes = hashes
			}
		}
		return s.upsert(ctx, tx, &catalog.Package{Key: k.Package(), Versions: []catalog.Version{*v}}, origin{})
	})
}
