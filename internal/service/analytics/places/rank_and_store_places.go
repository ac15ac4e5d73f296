package places

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// Index answers map searches from the places of this installation. It reads the
// tiles around the points and nothing else, so that a million places elsewhere
// cost nothing.
type Index struct{ db *database.DB }

// New makes an index of the places in the database.
func New(db *database.DB) *Index { return &Index{db: db} }

// Rank is ranking.Provider.
func (x *Index) Rank(ctx context.Context, q ranking.Query) (ranking.Result, error) {
	var places []ranking.Place
	err := x.db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		places = places[:0]
		for _, tiles := range ranking.TilesAround(q.Points) {
			var err error
			if places, err = placesInTiles(ctx, tx, places, tiles); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return ranking.Result{}, err
	}
	return ranking.Rank(ctx, places, q)
}

// CID makes the customer number of a place that came without one: 19 digits
// that depend on the id alone.
func CID(id string) string {
	sum := sha256.Sum256([]byte(id))
	const low = 1_000_000_000_000_000_000
	return strconv.FormatUint(low+binary.BigEndian.Uint64(sum[:8])%low, 10)
}

// Put stores places, over earlier ones of the same ids.
func (x *Index) Put(ctx context.Context, batch []ranking.Place) error {
	if len(batch) == 0 {
		return nil
	}
	return x.db.WriteKeyed(ctx, "analytics/places", func(ctx context.Context, tx *database.Tx) error {
		for _, p := range batch {
			if err := upsertPlace(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// Count is how many places there are.
func (x *Index) Count(ctx context.Context) (int64, error) { return countPlaces(ctx, x.db) }

// Check refuses a place that an import would refuse.
func Check(p ranking.Place) error { return checkPlace(&p) }

// All lists the places by their ids.
func (x *Index) All(ctx context.Context) ([]ranking.Place, error) { return allPlaces(ctx, x.db) }
