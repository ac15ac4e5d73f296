package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// feedState is how far the advisories of an ecosystem were read: the state of the
// archive, and when the record changed that changed last.
type feedState struct{ tag, newest string }

func findFeed(ctx context.Context, q database.Querier, from, ecosystem string) (feedState, error) {
	return database.One(ctx, q, func(s database.Scanner) (f feedState, err error) {
		err = s.Scan(&f.tag, &f.newest)
		return f, err
	}, `SELECT tag, newest FROM packages_feed WHERE source = $1 AND ecosystem = $2`, from, ecosystem)
}

func putFeed(ctx context.Context, tx *database.Tx, from, ecosystem string, f feedState) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO packages_feed (source, ecosystem, tag, newest) VALUES ($1, $2, $3, $4)
		ON CONFLICT (source, ecosystem) DO UPDATE SET tag = excluded.tag, newest = excluded.newest`,
		from, ecosystem, f.tag, f.newest)
	return err
}
