package packages

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// findGraph reads a stored graph that is not older than since.
func findGraph(ctx context.Context, q database.Querier, k catalog.VersionKey, since time.Time) ([]byte, error) {
	return database.One(ctx, q, scanBytes, `
		SELECT g.doc FROM packages_package p JOIN packages_graph g ON g.package_id = p.id
		WHERE p.system = $1 AND p.name = $2 AND g.version = $3 AND g.resolved >= $4`,
		k.System.Number(), k.Name, k.Version, database.Time(since))
}

// putGraph replaces a graph and what its root is counted as a dependent of.
func putGraph(ctx context.Context, tx *database.Tx, root catalog.VersionKey, doc []byte, at time.Time, nodes map[catalog.VersionKey]bool) error {
	row, err := findPackage(ctx, tx, root.Package())
	if err != nil {
		return err
	}
	if err := dropGraph(ctx, tx, row.id, root.Version); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO packages_graph (package_id, version, resolved, doc) VALUES ($1, $2, $3, $4)`,
		row.id, root.Version, database.Time(at), doc); err != nil {
		return err
	}
	for k, direct := range nodes {
		if _, err := tx.Exec(ctx, `
			INSERT INTO packages_depends (system, name, version, package_id, dependent, direct) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT DO NOTHING`, k.System.Number(), k.Name, k.Version, row.id, root.Version, direct); err != nil {
			return err
		}
	}
	return nil
}

func dropGraph(ctx context.Context, tx *database.Tx, packageID int64, version string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM packages_graph WHERE package_id = $1 AND version = $2`, packageID, version); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM packages_depends WHERE package_id = $1 AND dependent = $2`, packageID, version)
	return err
}

// countDependents counts the versions whose graphs hold this one.
func countDependents(ctx context.Context, q database.Querier, k catalog.VersionKey) (direct, indirect int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT COUNT(CASE WHEN direct THEN 1 END), COUNT(CASE WHEN NOT direct THEN 1 END)
		FROM packages_depends WHERE system = $1 AND name = $2 AND version = $3`,
		k.System.Number(), k.Name, k.Version).Scan(&direct, &indirect)
	return direct, indirect, err
}
