package packages

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/rowbatch"
)

// stored is a version as a look-up needs it.
type stored struct {
	doc      document.Version
	complete bool
}

func findVersion(ctx context.Context, q database.Querier, k catalog.VersionKey) (stored, error) {
	return database.One(ctx, q, func(s database.Scanner) (v stored, err error) {
		err = s.Scan(&v.doc.All, &v.doc.Cut, &v.complete)
		return v, err
	}, `
		SELECT v.doc, v.cut, v.complete FROM packages_package p JOIN packages_version v ON v.package_id = p.id
		WHERE p.system = $1 AND p.name = $2 AND v.version = $3`, k.System.Number(), k.Name, k.Version)
}

// findVersions is findVersion for many keys in one statement. The number of
// rows is rounded up by repeating the last key, so that few texts stay prepared.
func findVersions(
	ctx context.Context, db *database.DB, keys []catalog.VersionKey,
) (map[catalog.VersionKey]stored, error) {
	rows := 1
	for rows < len(keys) {
		rows *= 2
	}
	args := make([]any, 0, 3*rows)
	for i := range rows {
		k := keys[min(i, len(keys)-1)]
		args = append(args, k.System.Number(), k.Name, k.Version)
	}
	// PostgreSQL takes a bare parameter for text; one that is cast decides for
	// its whole column.
	marks := rowbatch.Marks(db.Engine(), rows, 3)
	first, rest, _ := strings.Cut(marks[1:], ",")
	found := make(map[catalog.VersionKey]stored, len(keys))
	_, err := database.All(ctx, db, func(s database.Scanner) (v stored, err error) {
		var system int64
		var k catalog.VersionKey
		err = s.Scan(&system, &k.Name, &k.Version, &v.doc.All, &v.doc.Cut, &v.complete)
		k.System = catalog.SystemOf(system)
		found[k] = v
		return v, err
	}, `
		WITH k (system, name, version) AS (VALUES (CAST(`+first+` AS BIGINT),`+rest+`)
		SELECT p.system, p.name, v.version, v.doc, v.cut, v.complete
		FROM k JOIN packages_package p ON p.system = k.system AND p.name = k.name
		JOIN packages_version v ON v.package_id = p.id AND v.version = k.version`, args...)
	return found, err
}

// findRequirements reads the declared requirements, encoded as stored, and
// whether more than the registry's list is known of the version.
func findRequirements(
	ctx context.Context, q database.Querier, k catalog.VersionKey,
) (doc []byte, complete bool, err error) {
	doc, err = database.One(ctx, q, func(s database.Scanner) (b []byte, err error) {
		err = s.Scan(&b, &complete)
		return b, err
	}, `
		SELECT v.requires, v.complete FROM packages_package p JOIN packages_version v ON v.package_id = p.id
		WHERE p.system = $1 AND p.name = $2 AND v.version = $3`, k.System.Number(), k.Name, k.Version)
	return doc, complete, err
}

func scanBytes(s database.Scanner) (b []byte, err error) {
	err = s.Scan(&b)
	return b, err
}

// versionDocuments are the documents of a package's versions in the order of
// their keys.
func versionDocuments(
	ctx context.Context, q database.Querier, k catalog.PackageKey, most int,
) ([]document.Version, error) {
	return database.All(ctx, q, func(s database.Scanner) (d document.Version, err error) {
		err = s.Scan(&d.All, &d.Cut)
		return d, err
	}, `
		SELECT v.doc, v.cut FROM packages_package p JOIN packages_version v ON v.package_id = p.id
		WHERE p.system = $1 AND p.name = $2 ORDER BY v.version LIMIT $3`, k.System.Number(), k.Name, most)
}

// hit is a version that has an artifact with the digest asked for.
type hit struct {
	key       catalog.VersionKey
	doc       document.Version
	artifacts []byte
}

// versionsByDigest finds the versions with an artifact of this digest. The
// system and the name narrow the search when they are not empty.
func versionsByDigest(ctx context.Context, q database.Querier, s Selection, most int) ([]hit, error) {
	return database.All(ctx, q, func(row database.Scanner) (h hit, err error) {
		var system int64
		err = row.Scan(&system, &h.key.Name, &h.key.Version, &h.doc.All, &h.doc.Cut, &h.artifacts)
		h.key.System = catalog.SystemOf(system)
		return h, err
	}, `
		SELECT p.system, p.name, v.version, v.doc, v.cut, v.artifacts
		FROM packages_digest d
		JOIN packages_package p ON p.id = d.package_id
		JOIN packages_version v ON v.package_id = d.package_id AND v.version = d.version
		WHERE d.digest = $1 AND d.kind = $2 AND ($3 = 0 OR p.system = $3) AND ($4 = '' OR p.name = $4) AND ($5 = '' OR v.version = $5)
		ORDER BY p.system, p.name, v.version LIMIT $6`,
		s.Hash.Digest, s.Hash.Type.Number(), s.System.Number(), s.Name, s.Version, most)
}

// projectRow is one version that belongs to a project.
type projectRow struct {
	project    string
	relation   catalog.RelationType
	provenance catalog.Provenance
	doc        document.Version
}

func versionsOfProject(ctx context.Context, q database.Querier, id string, most int) ([]projectRow, error) {
	return database.All(ctx, q, func(s database.Scanner) (r projectRow, err error) {
		err = s.Scan(&r.project, &r.relation, &r.provenance, &r.doc.All, &r.doc.Cut)
		return r, err
	}, `
		SELECT j.project, j.relation, j.provenance, v.doc, v.cut
		FROM packages_project j JOIN packages_version v ON v.package_id = j.package_id AND v.version = j.version
		WHERE j.project = $1 ORDER BY j.rank, j.package_id, j.version, j.relation LIMIT $2`, id, most)
}
