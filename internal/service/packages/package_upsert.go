package packages

import (
	"bytes"
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/graphstore"
)

// origin says where a package that is put came from.
type origin struct {
	etag, modified string
	// checked is when a registry listed it; zero for an import.
	checked time.Time
	// partial means that no list was read: a package that is new is not listed.
	partial bool
}

// unlisted is when the list of a package was read of which only versions that
// graphs need are known.
func unlisted() time.Time { return time.Unix(0, 0).UTC() }

// upsert merges a package into the store in the caller's transaction: versions
// are added and updated, never removed, since what was published once is
// asked about for ever. Documents whose bytes do not change are not written.
func (s *Service) upsert(ctx context.Context, tx *database.Tx, p *catalog.Package, from origin) error {
	var w writeBuffer
	if err := s.stage(ctx, tx, p, from, &w); err != nil {
		return err
	}
	return w.flush(ctx, tx)
}

// stage is put for many packages of one transaction: their versions wait in w
// until it is flushed.
func (s *Service) stage(ctx context.Context, tx *database.Tx, p *catalog.Package, from origin, w *writeBuffer) error {
	if w.packages[p.Key] {
		// What waits of it must be seen below.
		if err := w.flush(ctx, tx); err != nil {
			return err
		}
	}
	m, err := merge(ctx, tx, p, from)
	if err != nil {
		return err
	}
	affected, err := affectedBy(ctx, tx, p.Key)
	if err != nil {
		return err
	}
	id, err := writePackage(ctx, tx, &m.Package, m.from)
	if err != nil {
		return err
	}
	for i := range m.Versions {
		v := &m.Versions[i]
		v.Advisories = affected.of(v.Key)
		if err := s.stageOne(ctx, tx, id, v, m.rows[v.Key.Version], m.before[v.Key.Version], w); err != nil {
			return err
		}
	}
	w.holds(p.Key)
	tx.OnCommit(func() { s.forget(p.Key) })
	return nil
}

// merged is a package as it is to be stored, with what is stored of it now.
type merged struct {
	catalog.Package
	from   origin
	rows   map[string]*versionRow
	before map[string]*catalog.Version
}

// merge joins a package with what is stored of it.
func merge(ctx context.Context, tx *database.Tx, p *catalog.Package, from origin) (*merged, error) {
	m := &merged{Package: catalog.Package{Key: p.Key, Tag: p.Tag}, from: from, before: map[string]*catalog.Version{}}
	row, err := findPackage(ctx, tx, p.Key)
	unknown, err := none(err)
	if err != nil {
		return nil, err
	}
	if !unknown {
		if m.rows, err = loadVersions(ctx, tx, row.id); err != nil {
			return nil, err
		}
	}
	if m.Tag == "" {
		m.Tag = row.tag
	}
	if m.Versions, err = mergeVersions(p.Versions, m.rows, m.before); err != nil {
		return nil, err
	}
	switch {
	case from.checked.IsZero():
		m.from = origin{etag: row.etag, modified: row.modified, checked: row.checked}
		if from.partial && unknown {
			m.from.checked = unlisted()
		}
	case p.Key.System != catalog.Go:
		// A module proxy lists tags only, and keeps what it once had.
		withdraw(m.Versions, p.Versions)
	}
	m.Normalize()
	return m, nil
}

func writePackage(ctx context.Context, tx *database.Tx, p *catalog.Package, from origin) (int64, error) {
	return putPackage(ctx, tx, p, packageRow{
		tag: p.Tag, etag: from.etag, modified: from.modified, checked: from.checked,
	},
		document.EncodePackage(p, document.V3), document.EncodePackage(p, document.V3Alpha))
}

// stageOne lets one version wait if it differs from what is stored.
func (s *Service) stageOne(
	ctx context.Context, tx *database.Tx, id int64, v *catalog.Version, had *versionRow, old *catalog.Version,
	w *writeBuffer,
) error {
	row, err := encodeRow(v)
	if err != nil {
		return err
	}
	if had != nil && had.complete == row.complete && bytes.Equal(had.doc.All, row.doc.All) &&
		bytes.Equal(had.artifacts, row.artifacts) && bytes.Equal(had.requires, row.requires) {
		return nil
	}
	if had != nil {
		if err := dropIndexes(ctx, tx, id, old); err != nil {
			return err
		}
		if err := graphstore.Drop(ctx, tx, id, v.Key.Version); err != nil {
			return err
		}
		// Only what was stored can be remembered.
		key := versionCacheKey(v.Key)
		tx.OnCommit(func() { s.versions.Forget(key) })
	}
	w.add(id, row, v)
	return nil
}

func loadVersions(ctx context.Context, tx *database.Tx, id int64) (map[string]*versionRow, error) {
	rows, err := versionRows(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	have := make(map[string]*versionRow, len(rows))
	for i := range rows {
		have[rows[i].version] = &rows[i]
	}
	return have, nil
}

// mergeVersions joins what is listed with what is stored. A version that was
// completed keeps its details when the list tells less; its publish time, its
// default mark and its deprecation follow the list.
func mergeVersions(
	listed []catalog.Version, have map[string]*versionRow, before map[string]*catalog.Version,
) ([]catalog.Version, error) {
	out := make([]catalog.Version, 0, len(listed)+len(have))
	seen := make(map[string]bool, len(listed))
	for _, v := range listed {
		seen[v.Key.Version] = true
		row := have[v.Key.Version]
		if row == nil {
			out = append(out, v)
			continue
		}
		old, err := row.decode()
		if err != nil {
			return nil, err
		}
		before[v.Key.Version] = old
		if row.complete && !v.Complete {
			kept := *old
			kept.Deprecated = v.Deprecated
			if !v.Published.IsZero() {
				kept.Published = v.Published
			}
			v = kept
		}
		out = append(out, v)
	}
	for version, row := range have {
		if seen[version] {
			continue
		}
		old, err := row.decode()
		if err != nil {
			return nil, err
		}
		before[version] = old
		out = append(out, *old)
	}
	return out, nil
}

// withdraw marks the versions that a registry's own list has no more: yanked
// gems and unpublished packages leave it without a word.
func withdraw(all, listed []catalog.Version) {
	still := make(map[string]bool, len(listed))
	for i := range listed {
		still[listed[i].Key.Version] = true
	}
	for i := range all {
		if !still[all[i].Key.Version] {
			all[i].Deprecated = true
		}
	}
}

// forget drops what the process remembers of a package.
func (s *Service) forget(k catalog.PackageKey) {
	s.forgetLists(k)
	s.missing.Forget(k.String())
}

func (s *Service) forgetLists(k catalog.PackageKey) {
	s.listings.Forget(packageCacheKey(k, document.V3))
	s.listings.Forget(packageCacheKey(k, document.V3Alpha))
}

func packageCacheKey(k catalog.PackageKey, e document.Edition) string {
	return string(rune('0'+int(e))) + string(k.System) + " " + k.Name
}

func versionCacheKey(k catalog.VersionKey) string {
	return string(k.System) + " " + k.Name + "\x00" + k.Version
}
