package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/feed"
)

// affected is the advisories of one package.
type affected []affectedRow

type affectedRow struct {
	id      string
	matcher *advisory.Matcher
}

// affectedBy loads the advisories that name a package.
func affectedBy(ctx context.Context, q database.Querier, k catalog.PackageKey) (affected, error) {
	return database.All(ctx, q, func(s database.Scanner) (r affectedRow, err error) {
		var raw []byte
		if err = s.Scan(&r.id, &raw); err != nil {
			return r, err
		}
		ranges, err := advisory.Decode(raw)
		if err == nil {
			r.matcher = ranges.Matcher(k.System)
		}
		return r, err
	}, `SELECT advisory, ranges FROM packages_affected WHERE system = $1 AND name = $2 ORDER BY advisory`, k.System.Number(), k.Name)
}

// of is the ids of the advisories that a version falls under.
func (a affected) of(k catalog.VersionKey) []string {
	var ids []string
	for _, row := range a {
		if row.matcher.Covers(k.Version) {
			ids = append(ids, row.id)
		}
	}
	return ids
}

// findAdvisory reads an advisory's document by its id or an alias of it; of
// several with the same alias the first.
func findAdvisory(ctx context.Context, q database.Querier, id string) ([]byte, error) {
	return database.One(ctx, q, scanBytes, `
		SELECT doc FROM packages_advisory WHERE id = $1
		UNION ALL
		SELECT doc FROM packages_advisory WHERE id = (SELECT MIN(advisory) FROM packages_alias WHERE alias = $1)
			AND NOT EXISTS (SELECT 1 FROM packages_advisory WHERE id = $1)`, id)
}

// advisoryModified is the stamp of the stored state of an advisory.
func advisoryModified(ctx context.Context, q database.Querier, id string) (string, error) {
	return database.One(ctx, q, func(s database.Scanner) (t string, err error) {
		err = s.Scan(&t)
		return t, err
	}, `SELECT modified FROM packages_advisory WHERE id = $1`, id)
}

// affectedPackages are the packages an advisory names now.
func affectedPackages(ctx context.Context, q database.Querier, id string) ([]catalog.PackageKey, error) {
	return database.All(ctx, q, scanPackageKey, `SELECT system, name FROM packages_affected WHERE advisory = $1`, id)
}

// putAdvisory replaces an advisory, its aliases and its packages.
func putAdvisory(ctx context.Context, tx *database.Tx, a *advisory.Advisory, doc []byte) error {
	if err := dropAdvisory(ctx, tx, a.ID); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO packages_advisory (id, modified, doc) VALUES ($1, $2, $3)`, a.ID, a.Modified, doc); err != nil {
		return err
	}
	for _, alias := range a.Aliases {
		if _, err := tx.Exec(ctx, `
			INSERT INTO packages_alias (alias, advisory) VALUES ($1, $2) ON CONFLICT DO NOTHING`, alias, a.ID); err != nil {
			return err
		}
	}
	for key, ranges := range a.Affected {
		raw, err := ranges.Encode()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO packages_affected (system, name, advisory, ranges)
			VALUES ($1, $2, $3, $4)`, key.System.Number(), key.Name, a.ID, raw); err != nil {
			return err
		}
	}
	return nil
}

func dropAdvisory(ctx context.Context, tx *database.Tx, id string) error {
	for _, sql := range []string{
		`DELETE FROM packages_affected WHERE advisory = $1`,
		`DELETE FROM packages_alias WHERE advisory = $1`,
		`DELETE FROM packages_advisory WHERE id = $1`,
	} {
		if _, err := tx.Exec(ctx, sql, id); err != nil {
			return err
		}
	}
	return nil
}

// advisoryStore keeps the advisories of one place.
type advisoryStore struct {
	s    *Service
	from string
}

func (a advisoryStore) Advisories(ctx context.Context, list []*advisory.Advisory) (int64, error) {
	return a.s.storeAdvisories(ctx, list)
}

// State is how far the advisories of an ecosystem were read.
func (a advisoryStore) State(ctx context.Context, ecosystem string) (feed.State, error) {
	state, err := database.One(ctx, a.s.world.DB, func(s database.Scanner) (f feed.State, err error) {
		err = s.Scan(&f.Tag, &f.Newest)
		return f, err
	}, `SELECT tag, newest FROM packages_feed WHERE source = $1 AND ecosystem = $2`, a.from, ecosystem)
	_, err = none(err)
	return state, err
}

func (a advisoryStore) PutState(ctx context.Context, ecosystem string, f feed.State) error {
	return a.s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO packages_feed (source, ecosystem, tag, newest) VALUES ($1, $2, $3, $4)
			ON CONFLICT (source, ecosystem) DO UPDATE SET tag = excluded.tag, newest = excluded.newest`,
			a.from, ecosystem, f.Tag, f.Newest)
		return err
	})
}
