package packages

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/rowbatch"
)

// writeBuffer is versions that a transaction is about to write, with what they
// can be found by in addition to their keys: the digests of their files and their
// projects. They are kept back so that many rows share a statement, and so that
// digests, which come in no order, meet each page of their index once.
type writeBuffer struct {
	packages map[catalog.PackageKey]bool
	versions []bufferedVersion
	digests  []bufferedDigest
	projects []bufferedProject
}

type (
	bufferedVersion struct {
		packageID int64
		row       versionRow
	}
	bufferedDigest struct {
		packageID int64
		version   string
		hash      catalog.Hash
	}
	bufferedProject struct {
		packageID int64
		version   string
		relation  catalog.Relation
	}
)

// holds notes that versions of a package wait.
func (p *writeBuffer) holds(k catalog.PackageKey) {
	if p.packages == nil {
		p.packages = map[catalog.PackageKey]bool{}
	}
	p.packages[k] = true
}

// add keeps a version back. A package may be added to until its versions are
// flushed, each version once.
func (p *writeBuffer) add(packageID int64, r versionRow, v *catalog.Version) {
	p.versions = append(p.versions, bufferedVersion{packageID, r})
	if v.Key.System.HasHashes() {
		for _, a := range v.Artifacts {
			for _, h := range a.Hashes {
				p.digests = append(p.digests, bufferedDigest{packageID, v.Key.Version, h})
			}
		}
	}
	for _, r := range v.Related {
		p.projects = append(p.projects, bufferedProject{packageID, v.Key.Version, r})
	}
}

// flush writes everything and is empty afterwards.
func (p *writeBuffer) flush(ctx context.Context, tx *database.Tx) error {
	err := rowbatch.Insert(ctx, tx, p.versions, 7, `
		INSERT INTO packages_version (package_id, version, complete, cut, doc, artifacts, requires) VALUES `, `
		ON CONFLICT (package_id, version) DO UPDATE SET complete = excluded.complete, cut = excluded.cut, doc = excluded.doc,
			artifacts = excluded.artifacts, requires = excluded.requires`,
		func(args []any, v *bufferedVersion) []any {
			return append(args, v.packageID, v.row.version, v.row.complete, v.row.doc.Cut, v.row.doc.All,
				v.row.artifacts, v.row.requires)
		})
	if err != nil {
		return err
	}
	slices.SortFunc(p.digests, func(a, b bufferedDigest) int { return bytes.Compare(a.hash.Digest, b.hash.Digest) })
	err = rowbatch.Insert(ctx, tx, p.digests, 4, `
		INSERT INTO packages_digest (digest, kind, package_id, version) VALUES `, ` ON CONFLICT DO NOTHING`,
		func(args []any, d *bufferedDigest) []any {
			return append(args, d.hash.Digest, d.hash.Type.Number(), d.packageID, d.version)
		})
	if err != nil {
		return err
	}
	slices.SortFunc(p.projects, func(a, b bufferedProject) int {
		return strings.Compare(a.relation.Project, b.relation.Project)
	})
	err = rowbatch.Insert(ctx, tx, p.projects, 6, `
		INSERT INTO packages_project (project, rank, package_id, version, relation, provenance) VALUES `, ` ON CONFLICT DO NOTHING`,
		func(args []any, r *bufferedProject) []any {
			return append(args, r.relation.Project, provenanceRank(r.relation.Provenance), r.packageID, r.version,
				string(r.relation.Type), string(r.relation.Provenance))
		})
	clear(p.packages)
	p.versions, p.digests, p.projects = p.versions[:0], p.digests[:0], p.projects[:0]
	return err
}
