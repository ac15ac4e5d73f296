package packages

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/advisory"
	"stoa.dev/stoa/internal/service/packages/feed"
)

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
