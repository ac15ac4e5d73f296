package packages

import (
	"context"
	"encoding/json"
	"fmt"
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

// versionRow is everything stored of one version.
type versionRow struct {
	version   string
	complete  bool
	doc       document.Version
	artifacts []byte
	requires  []byte
}

func versionRows(ctx context.Context, q database.Querier, packageID int64) ([]versionRow, error) {
	return database.All(ctx, q, scanVersionRow, `
		SELECT version, complete, cut, doc, artifacts, requires FROM packages_version WHERE package_id = $1 ORDER BY version`, packageID)
}

func findVersionRow(ctx context.Context, q database.Querier, k catalog.VersionKey) (versionRow, error) {
	return database.One(ctx, q, scanVersionRow, `
		SELECT v.version, v.complete, v.cut, v.doc, v.artifacts, v.requires
		FROM packages_package p JOIN packages_version v ON v.package_id = p.id
		WHERE p.system = $1 AND p.name = $2 AND v.version = $3`, k.System.Number(), k.Name, k.Version)
}

func scanVersionRow(s database.Scanner) (r versionRow, err error) {
	err = s.Scan(&r.version, &r.complete, &r.doc.Cut, &r.doc.All, &r.artifacts, &r.requires)
	return r, err
}

// decode is the row as a catalog version.
func (r *versionRow) decode() (*catalog.Version, error) {
	v, err := document.Decode(r.doc)
	if err != nil {
		return nil, fmt.Errorf("stored version: %w", err)
	}
	if err := json.Unmarshal(r.artifacts, &v.Artifacts); err != nil {
		return nil, fmt.Errorf("stored artifacts: %w", err)
	}
	if len(r.requires) > 0 {
		v.Requires = &catalog.Requirements{}
		if err := json.Unmarshal(r.requires, v.Requires); err != nil {
			return nil, fmt.Errorf("stored requirements: %w", err)
		}
	}
	v.Complete = r.complete
	return v, nil
}

// encodeRow is the inverse of decode.
func encodeRow(v *catalog.Version) (versionRow, error) {
	r := versionRow{
		version: v.Key.Version, complete: v.Complete, doc: document.EncodeVersion(v),
		artifacts: document.EncodeArtifacts(v.Artifacts), requires: []byte{},
	}
	var err error
	if v.Requires != nil {
		v.Requires.Fill()
		r.requires, err = document.Marshal(v.Requires)
	}
	return r, err
}

// dropIndexes removes what an older state of a version could be found by.
func dropIndexes(ctx context.Context, tx *database.Tx, packageID int64, v *catalog.Version) error {
	for _, a := range v.Artifacts {
		for _, h := range a.Hashes {
			if _, err := tx.Exec(ctx, `
				DELETE FROM packages_digest WHERE digest = $1 AND kind = $2 AND package_id = $3 AND version = $4`,
				h.Digest, h.Type.Number(), packageID, v.Key.Version); err != nil {
				return err
			}
		}
	}
	for _, r := range v.Related {
		if _, err := tx.Exec(ctx, `
			DELETE FROM packages_project WHERE project = $1 AND rank = $2 AND package_id = $3 AND version = $4 AND relation = $5`,
			r.Project, provenanceRank(r.Provenance), packageID, v.Key.Version, string(r.Type)); err != nil {
			return err
		}
	}
	return nil
}

// provenanceRank orders provenances: what was signed comes first.
func provenanceRank(p catalog.Provenance) int64 {
	switch p {
	case catalog.FromSLSA:
		return 1
	case catalog.FromPublish:
		return 2
	case catalog.FromGoOrigin:
		return 3
	case catalog.FromMetadata:
		return 4
	}
	return 5
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
