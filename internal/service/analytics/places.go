package analytics

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// placeIndex answers map searches from the places of this installation. It
// reads the squares around the points and nothing else, so that a million places
// elsewhere cost nothing.
type placeIndex struct{ s *Service }

// Rank is ranking.Provider.
func (x placeIndex) Rank(ctx context.Context, q ranking.Query) (ranking.Result, error) {
	var places []ranking.Place
	err := x.s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		places = places[:0]
		for _, tiles := range ranking.Around(q.Points) {
			var err error
			if places, err = x.s.store.placesIn(ctx, tx, places, tiles); err != nil {
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

// cidOf makes the customer number of a place that came without one: 19 digits
// that depend on the id alone.
func cidOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	const low = 1_000_000_000_000_000_000
	return strconv.FormatUint(low+binary.BigEndian.Uint64(sum[:8])%low, 10)
}
