package places

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

const placeColumns = `id, cid, name, address, categories, country, rating, reviews, lat, lng`

func scanPlace(s database.Scanner) (p ranking.Place, err error) {
	var categories string
	err = s.Scan(&p.ID, &p.CID, &p.Name, &p.Address, &categories, &p.Country, &p.Rating, &p.Reviews, &p.Lat, &p.Lng)
	if categories != "" {
		p.Categories = strings.Split(categories, "\n")
	}
	return p, err
}

// ByID finds a place.
func ByID(ctx context.Context, q database.Querier, id string) (ranking.Place, error) {
	return database.One(ctx, q, scanPlace, `SELECT `+placeColumns+` FROM analytics_places WHERE id = $1`, id)
}

// placesInTiles adds the places of some tiles to list.
func placesInTiles(
	ctx context.Context, q database.Querier, list []ranking.Place, tiles ranking.Span,
) ([]ranking.Place, error) {
	more, err := database.All(ctx, q, scanPlace, `SELECT `+placeColumns+` FROM analytics_places
		WHERE tile BETWEEN $1 AND $2`, tiles.From, tiles.To)
	if len(list) == 0 {
		return more, err
	}
	return append(list, more...), err
}

// placeValues writes categories one to a line: a report reads a hundred thousand
// of them, and no category contains a line break.
func placeValues(p ranking.Place) []any {
	return []any{
		p.ID, p.CID, p.Name, p.Address, strings.Join(p.Categories, "\n"), p.Country, p.Rating, p.Reviews,
		p.Lat, p.Lng, ranking.Tile(p.Lat, p.Lng),
	}
}

const upsertPlaceSQL = `INSERT INTO analytics_places (` + placeColumns + `, tile)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
	ON CONFLICT (id) DO UPDATE SET cid = excluded.cid, name = excluded.name, address = excluded.address,
		categories = excluded.categories, country = excluded.country,
		lat = excluded.lat, lng = excluded.lng, tile = excluded.tile`

// upsertPlace stores an imported place, over an earlier one of the same id.
func upsertPlace(ctx context.Context, q database.Querier, p ranking.Place) error {
	_, err := q.Exec(ctx, upsertPlaceSQL+`, rating = excluded.rating, reviews = excluded.reviews`, placeValues(p)...)
	return err
}

// UpsertListed stores the place of a location. Its rating and reviews stay: the
// owner does not set them.
func UpsertListed(ctx context.Context, q database.Querier, p ranking.Place) error {
	_, err := q.Exec(ctx, upsertPlaceSQL, placeValues(p)...)
	return err
}

// Delete removes a place; one that is not there is not an error.
func Delete(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_places WHERE id = $1`, id)
	return err
}

func countPlaces(ctx context.Context, q database.Querier) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM analytics_places`).Scan(&n)
	return n, err
}

// maxPlaces bounds what is listed at once.
const maxPlaces = 100_000

func allPlaces(ctx context.Context, q database.Querier) ([]ranking.Place, error) {
	return database.All(ctx, q, scanPlace, `SELECT `+placeColumns+` FROM analytics_places ORDER BY id LIMIT $1`, maxPlaces)
}
