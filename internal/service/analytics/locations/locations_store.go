package locations

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func scanLocation(s database.Scanner) (l Location, err error) {
	var doc []byte
	if err = s.Scan(&doc); err != nil {
		return l, err
	}
	if err = json.Unmarshal(doc, &l); err != nil {
		return l, fmt.Errorf("analytics: read a stored location: %w", err)
	}
	return l, nil
}

func locationByID(ctx context.Context, q database.Querier, owner int64, id string) (Location, error) {
	return database.One(ctx, q, scanLocation, `SELECT doc FROM analytics_locations
		WHERE id = $1 AND owner_id = $2`, id, owner)
}

func listLocations(ctx context.Context, q database.Querier, owner int64, limit, offset int) ([]Location, error) {
	return database.All(ctx, q, scanLocation, `SELECT doc FROM analytics_locations WHERE owner_id = $1
		ORDER BY seq LIMIT $2 OFFSET $3`, owner, limit, offset)
}

func countLocations(ctx context.Context, q database.Querier, owner int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM analytics_locations WHERE owner_id = $1`, owner).Scan(&n)
	return n, err
}

func nextLocationSeq(ctx context.Context, q database.Querier, owner int64) (seq int64, err error) {
	err = q.QueryRow(ctx, `SELECT COALESCE(MAX(seq), 0) + 1 FROM analytics_locations
		WHERE owner_id = $1`, owner).Scan(&seq)
	return seq, err
}

func insertLocation(ctx context.Context, q database.Querier, owner, seq int64, l Location, now time.Time) error {
	doc, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO analytics_locations (id, owner_id, seq, doc, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $5)`,
		l.ID, owner, seq, string(doc), database.Time(now))
	return err
}

func updateLocation(ctx context.Context, q database.Querier, l Location, now time.Time) error {
	doc, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `UPDATE analytics_locations SET doc = $1, updated_at = $2 WHERE id = $3`,
		string(doc), database.Time(now), l.ID)
	return err
}
