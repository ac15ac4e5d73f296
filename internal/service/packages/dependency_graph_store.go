package packages

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/rowbatch"
)

// findGraph reads a stored graph that is not stale.
func findGraph(ctx context.Context, q database.Querier, k catalog.VersionKey, now time.Time) ([]byte, error) {
	return database.One(ctx, q, scanBytes, `
		SELECT g.doc FROM packages_package p JOIN packages_graph g ON g.package_id = p.id
		WHERE p.system = $1 AND p.name = $2 AND g.version = $3 AND g.stale > $4`,
		k.System.Number(), k.Name, k.Version, database.Time(now))
}

// putGraph replaces a graph and what its root is counted as a dependent of.
func putGraph(
	ctx context.Context, tx *database.Tx, root catalog.VersionKey, doc []byte, stale time.Time, nodes []needed,
) error {
	row, err := findPackage(ctx, tx, root.Package())
	if err != nil {
		return err
	}
	if err := dropGraph(ctx, tx, row.id, root.Version); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO packages_graph (package_id, version, stale, doc) VALUES ($1, $2, $3, $4)`,
		row.id, root.Version, database.Time(stale), doc); err != nil {
		return err
	}
	return rowbatch.Insert(ctx, tx, nodes, 6, `
		INSERT INTO packages_depends (system, name, version, package_id, dependent, direct) VALUES `, ` ON CONFLICT DO NOTHING`,
		func(args []any, n *needed) []any {
			return append(args, n.key.System.Number(), n.key.Name, n.key.Version, row.id, root.Version, n.direct)
		})
}

func dropGraph(ctx context.Context, tx *database.Tx, packageID int64, version string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM packages_graph WHERE package_id = $1 AND version = $2`, packageID, version); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM packages_depends WHERE package_id = $1 AND dependent = $2`, packageID, version)
	return err
}

// countDependents counts the versions whose graphs hold this one.
func countDependents(
	ctx context.Context, q database.Querier, k catalog.VersionKey,
) (direct, indirect int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT COUNT(CASE WHEN direct THEN 1 END), COUNT(CASE WHEN NOT direct THEN 1 END)
		FROM packages_depends WHERE system = $1 AND name = $2 AND version = $3`,
		k.System.Number(), k.Name, k.Version).Scan(&direct, &indirect)
	return direct, indirect, err
}

func countGraphs(ctx context.Context, q database.Querier) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM packages_graph`).Scan(&n)
	return n, err
}

// graphKey names a stored graph.
type graphKey struct {
	packageID int64
	version   string
}

// deleteOldest deletes graphs that are stale since before a time, the oldest first and so many at most, and returns how
// many there were.
func deleteOldest(ctx context.Context, tx *database.Tx, before time.Time, most int) (int, error) {
	list, err := database.All(ctx, tx, func(s database.Scanner) (k graphKey, err error) {
		err = s.Scan(&k.packageID, &k.version)
		return k, err
	}, `SELECT package_id, version FROM packages_graph WHERE stale < $1 ORDER BY stale LIMIT $2`,
		database.Time(before), most)
	for _, k := range list {
		if err := dropGraph(ctx, tx, k.packageID, k.version); err != nil {
			return 0, err
		}
	}
	return len(list), err
}
