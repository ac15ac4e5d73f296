package graphstore

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/rowbatch"
)

// Find reads a stored graph that is not stale and was resolved as now.
func Find(
	ctx context.Context, q database.Querier, k catalog.VersionKey, resolver string, now time.Time,
) (doc []byte, err error) {
	err = q.QueryRow(ctx, `
		SELECT g.doc FROM packages_package p JOIN packages_graph g ON g.package_id = p.id
		WHERE p.system = $1 AND p.name = $2 AND g.version = $3 AND g.stale > $4 AND g.resolver = $5`,
		k.System.Number(), k.Name, k.Version, database.Time(now), resolver).Scan(&doc)
	return doc, err
}

// Needed is a version that a graph's root depends on.
type Needed struct {
	Key    catalog.VersionKey
	Direct bool
}

// Graph is a resolved graph as it is stored. Resolver says what beside the packages it was resolved by.
type Graph struct {
	Resolver string
	Doc      []byte
	Stale    time.Time
	Nodes    []Needed
}

// Put replaces the graph of a version of a package and what that is counted as a dependent of.
func Put(ctx context.Context, tx *database.Tx, packageID int64, version string, g Graph) error {
	if err := Drop(ctx, tx, packageID, version); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO packages_graph (package_id, version, stale, doc, resolver)
		VALUES ($1, $2, $3, $4, $5)`, packageID, version, database.Time(g.Stale), g.Doc, g.Resolver); err != nil {
		return err
	}
	return rowbatch.Insert(ctx, tx, g.Nodes, 6, `
		INSERT INTO packages_depends (system, name, version, package_id, dependent, direct) VALUES `,
		` ON CONFLICT DO NOTHING`,
		func(args []any, n *Needed) []any {
			return append(args, n.Key.System.Number(), n.Key.Name, n.Key.Version, packageID, version, n.Direct)
		})
}

// Drop deletes a graph and what its root is counted as a dependent of.
func Drop(ctx context.Context, tx *database.Tx, packageID int64, version string) error {
	_, err := tx.Exec(ctx, `DELETE FROM packages_graph WHERE package_id = $1 AND version = $2`, packageID, version)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM packages_depends WHERE package_id = $1 AND dependent = $2`, packageID, version)
	return err
}

// CountDependents counts the versions whose graphs hold this one.
func CountDependents(
	ctx context.Context, q database.Querier, k catalog.VersionKey,
) (direct, indirect int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT COUNT(CASE WHEN direct THEN 1 END), COUNT(CASE WHEN NOT direct THEN 1 END)
		FROM packages_depends WHERE system = $1 AND name = $2 AND version = $3`,
		k.System.Number(), k.Name, k.Version).Scan(&direct, &indirect)
	return direct, indirect, err
}

func count(ctx context.Context, q database.Querier) (n int64, err error) {
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
		if err := Drop(ctx, tx, k.packageID, k.version); err != nil {
			return 0, err
		}
	}
	return len(list), err
}
