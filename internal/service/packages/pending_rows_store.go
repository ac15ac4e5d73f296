package packages

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// pending is versions that a transaction is about to write, with what they
// can be found by in addition to their keys: the digests of their files and their
// projects. They are kept back so that many rows share a statement, and so that
// digests, which come in no order, meet each page of their index once.
type pending struct {
	packages map[catalog.PackageKey]bool
	versions []pendingVersion
	digests  []pendingDigest
	projects []pendingProject
}

type (
	pendingVersion struct {
		packageID int64
		row       versionRow
	}
	pendingDigest struct {
		packageID int64
		version   string
		hash      catalog.Hash
	}
	pendingProject struct {
		packageID int64
		version   string
		relation  catalog.Relation
	}
)

// holds notes that versions of a package wait.
func (p *pending) holds(k catalog.PackageKey) {
	if p.packages == nil {
		p.packages = map[catalog.PackageKey]bool{}
	}
	p.packages[k] = true
}

// add keeps a version back. A package may be added to until its versions are
// flushed, each version once.
func (p *pending) add(packageID int64, r versionRow, v *catalog.Version) {
	p.versions = append(p.versions, pendingVersion{packageID, r})
	if v.Key.System.HasHashes() {
		for _, a := range v.Artifacts {
			for _, h := range a.Hashes {
				p.digests = append(p.digests, pendingDigest{packageID, v.Key.Version, h})
			}
		}
	}
	for _, r := range v.Related {
		p.projects = append(p.projects, pendingProject{packageID, v.Key.Version, r})
	}
}

// flush writes everything and is empty afterwards.
func (p *pending) flush(ctx context.Context, tx *database.Tx) error {
	err := insertRows(ctx, tx, p.versions, 7, `
		INSERT INTO packages_version (package_id, version, complete, cut, doc, artifacts, requires) VALUES `, `
		ON CONFLICT (package_id, version) DO UPDATE SET complete = excluded.complete, cut = excluded.cut, doc = excluded.doc,
			artifacts = excluded.artifacts, requires = excluded.requires`,
		func(args []any, v *pendingVersion) []any {
			return append(args, v.packageID, v.row.version, v.row.complete, v.row.doc.Cut, v.row.doc.All,
				v.row.artifacts, v.row.requires)
		})
	if err != nil {
		return err
	}
	slices.SortFunc(p.digests, func(a, b pendingDigest) int { return bytes.Compare(a.hash.Digest, b.hash.Digest) })
	err = insertRows(ctx, tx, p.digests, 4, `
		INSERT INTO packages_digest (digest, kind, package_id, version) VALUES `, ` ON CONFLICT DO NOTHING`,
		func(args []any, d *pendingDigest) []any {
			return append(args, d.hash.Digest, d.hash.Type.Number(), d.packageID, d.version)
		})
	if err != nil {
		return err
	}
	slices.SortFunc(p.projects, func(a, b pendingProject) int {
		return strings.Compare(a.relation.Project, b.relation.Project)
	})
	err = insertRows(ctx, tx, p.projects, 6, `
		INSERT INTO packages_project (project, rank, package_id, version, relation, provenance) VALUES `, ` ON CONFLICT DO NOTHING`,
		func(args []any, r *pendingProject) []any {
			return append(args, r.relation.Project, provenanceRank(r.relation.Provenance), r.packageID, r.version,
				string(r.relation.Type), string(r.relation.Provenance))
		})
	clear(p.packages)
	p.versions, p.digests, p.projects = p.versions[:0], p.digests[:0], p.projects[:0]
	return err
}

// maxRows is how many rows share a statement.
const maxRows = 32

// insertRows writes rows of so many columns, many to a statement. The number
// of rows in a statement is a power of two, so that few texts stay prepared.
func insertRows[T any](
	ctx context.Context, tx *database.Tx, rows []T, columns int, head, tail string, add func([]any, *T) []any,
) error {
	text, size := "", 0
	args := make([]any, 0, columns*min(len(rows), maxRows))
	for n := maxRows; len(rows) > 0; {
		for n > len(rows) {
			n /= 2
		}
		if n != size {
			text, size = head+rowMarks(tx.Engine(), n, columns)+tail, n
		}
		args = args[:0]
		for i := range rows[:n] {
			args = add(args, &rows[i])
		}
		if _, err := tx.Exec(ctx, text, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// rowMarks is the parameters of some rows: ($1, $2), ($3, $4). SQLite looks a
// numbered parameter up by name, which for many takes longer than the insert;
// without a name it goes by place.
func rowMarks(engine database.Engine, rows, columns int) string {
	var b strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		if engine == database.SQLite {
			b.WriteByte('?')
		} else {
			b.WriteString("$" + strconv.Itoa(i+1))
		}
	}
	b.WriteByte(')')
	return b.String()
}
