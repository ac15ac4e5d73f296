package packages

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// packageRow is a stored package without its versions.
type packageRow struct {
	id             int64
	tag            string
	etag, modified string
	// checked is zero for packages that no registry was asked about.
	checked time.Time
}

// findPackage finds a package; database.ErrNotFound when there is none.
func findPackage(ctx context.Context, q database.Querier, k catalog.PackageKey) (packageRow, error) {
	return database.One(ctx, q, scanPackageRow, `
		SELECT id, tag, etag, modified, checked FROM packages_package WHERE system = $1 AND name = $2`,
		k.System.Number(), k.Name)
}

func scanPackageRow(s database.Scanner) (r packageRow, err error) {
	err = s.Scan(&r.id, &r.tag, &r.etag, &r.modified, database.ScanNullTime(&r.checked))
	return r, err
}

// storedPackage is a package's document and its freshness.
type storedPackage struct {
	doc     []byte
	checked time.Time
}

func packageDocument(
	ctx context.Context, q database.Querier, k catalog.PackageKey, e document.Edition,
) (storedPackage, error) {
	sql := `SELECT doc_v3, checked FROM packages_package WHERE system = $1 AND name = $2`
	if e == document.V3Alpha {
		sql = `SELECT doc_alpha, checked FROM packages_package WHERE system = $1 AND name = $2`
	}
	return database.One(ctx, q, func(s database.Scanner) (p storedPackage, err error) {
		err = s.Scan(&p.doc, database.ScanNullTime(&p.checked))
		return p, err
	}, sql, k.System.Number(), k.Name)
}

// putPackage writes the package's own row and returns its id.
func putPackage(
	ctx context.Context, tx *database.Tx, p *catalog.Package, r packageRow, v3, alpha []byte,
) (int64, error) {
	return database.One(ctx, tx, func(s database.Scanner) (id int64, err error) {
		err = s.Scan(&id)
		return id, err
	}, `
		INSERT INTO packages_package (system, name, shape, tag, etag, modified, checked, doc_v3, doc_alpha)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (system, name) DO UPDATE SET tag = excluded.tag, etag = excluded.etag, modified = excluded.modified,
			checked = excluded.checked, doc_v3 = excluded.doc_v3, doc_alpha = excluded.doc_alpha
		RETURNING id`,
		p.Key.System.Number(), p.Key.Name, catalog.NameShape(p.Key.Name), r.tag, r.etag, r.modified,
		database.NullTime(r.checked), v3, alpha)
}

// touchPackage notes that the registry says nothing changed.
func touchPackage(ctx context.Context, tx *database.Tx, k catalog.PackageKey, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE packages_package SET checked = $3 WHERE system = $1 AND name = $2`,
		k.System.Number(), k.Name, database.Time(at))
	return err
}

// passPackage puts a package behind those whose registry was asked before a time. One of which no list was read stays
// what it is.
func passPackage(ctx context.Context, tx *database.Tx, k catalog.PackageKey, before time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE packages_package SET checked = $3
		WHERE system = $1 AND name = $2 AND checked < $3 AND checked > $4`,
		k.System.Number(), k.Name, database.Time(before), database.Time(unlisted()))
	return err
}

// stalePackages are the packages of a system whose registry was not asked
// since.
func stalePackages(
	ctx context.Context, q database.Querier, system catalog.System, before time.Time, most int,
) ([]catalog.PackageKey, error) {
	return database.All(ctx, q, scanPackageKey, `
		SELECT system, name FROM packages_package WHERE system = $1 AND checked < $2 ORDER BY checked LIMIT $3`,
		system.Number(), database.Time(before), most)
}

func scanPackageKey(s database.Scanner) (k catalog.PackageKey, err error) {
	var system int64
	err = s.Scan(&system, &k.Name)
	k.System = catalog.SystemOf(system)
	return k, err
}

// packagesAfter pages through all packages in the order of their ids.
func packagesAfter(ctx context.Context, q database.Querier, id int64, most int) ([]numberedPackage, error) {
	return database.All(ctx, q, func(s database.Scanner) (p numberedPackage, err error) {
		var system int64
		err = s.Scan(&p.id, &system, &p.key.Name, &p.tag)
		p.key.System = catalog.SystemOf(system)
		return p, err
	}, `SELECT id, system, name, tag FROM packages_package WHERE id > $1 ORDER BY id LIMIT $2`, id, most)
}

// numberedPackage is a package with its place in the store.
type numberedPackage struct {
	id  int64
	key catalog.PackageKey
	tag string
}

// similarPackages are the other packages of the same shape.
func similarPackages(
	ctx context.Context, q database.Querier, k catalog.PackageKey, most int,
) ([]catalog.PackageKey, error) {
	return database.All(ctx, q, scanPackageKey, `
		SELECT system, name FROM packages_package WHERE system = $1 AND shape = $2 AND name <> $3 ORDER BY name LIMIT $4`,
		k.System.Number(), catalog.NameShape(k.Name), k.Name, most)
}

// counts are the store's sizes, for the operator.
func counts(ctx context.Context, q database.Querier) (packages, versions int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM packages_package`).Scan(&packages)
	if err == nil {
		err = q.QueryRow(ctx, `SELECT COUNT(*) FROM packages_version`).Scan(&versions)
	}
	return packages, versions, err
}

// none turns "no row" into a flag.
func none(err error) (missing bool, other error) {
	if errors.Is(err, database.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// importedSoFar is how many entries of a file are stored already.
func importedSoFar(ctx context.Context, q database.Querier, file []byte) (done int64, err error) {
	err = q.QueryRow(ctx, `SELECT done FROM packages_import WHERE file = $1`, file).Scan(&done)
	_, err = none(err)
	return done, err
}

func putImported(ctx context.Context, q database.Querier, file []byte, done, total int64) error {
	_, err := q.Exec(ctx, `
		INSERT INTO packages_import (file, done, total) VALUES ($1, $2, $3)
		ON CONFLICT (file) DO UPDATE SET done = excluded.done, total = excluded.total`, file, done, total)
	return err
}

func dropImported(ctx context.Context, q database.Querier, file []byte) error {
	_, err := q.Exec(ctx, `DELETE FROM packages_import WHERE file = $1`, file)
	return err
}
