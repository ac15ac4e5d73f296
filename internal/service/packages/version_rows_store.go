package packages

import (
	"context"
	"encoding/json"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

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
