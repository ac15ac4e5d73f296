package generate

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const cacheColumns = `id, user_id, model, display_name, prefix, tokens, created_at, updated_at, expires_at`

func scanCache(s database.Scanner) (c Cache, err error) {
	var prefix, tokens string
	err = s.Scan(&c.ID, &c.UserID, &c.Model, &c.DisplayName, &prefix, &tokens,
		database.ScanTime(&c.CreatedAt), database.ScanTime(&c.UpdatedAt), database.ScanTime(&c.ExpiresAt))
	if err != nil {
		return c, err
	}
	return c, errors.Join(json.Unmarshal([]byte(prefix), &c.Prefix), json.Unmarshal([]byte(tokens), &c.Tokens))
}

func (store) cache(ctx context.Context, q database.Querier, userID int64, id string, now time.Time) (Cache, error) {
	c, err := database.One(ctx, q, scanCache, `SELECT `+cacheColumns+` FROM generate_caches
		WHERE id = $1 AND user_id = $2 AND expires_at > $3`, id, userID, database.Time(now))
	if errors.Is(err, database.ErrNotFound) {
		return c, errNoCache(cachePrefix + id)
	}
	return c, err
}

func (store) caches(ctx context.Context, q database.Querier, userID int64, after cursor, now time.Time, limit int) ([]Cache, error) {
	return database.All(ctx, q, scanCache, `SELECT `+cacheColumns+` FROM generate_caches
		WHERE user_id = $1 AND expires_at > $2 AND (created_at < $3 OR (created_at = $3 AND id < $4))
		ORDER BY created_at DESC, id DESC LIMIT $5`,
		userID, database.Time(now), database.Time(after.CreatedAt), after.ID, limit)
}

func (store) insertCache(ctx context.Context, q database.Querier, c Cache) error {
	prefix, err := json.Marshal(c.Prefix)
	if err != nil {
		return err
	}
	tokens, err := json.Marshal(c.Tokens)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO generate_caches (`+cacheColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		c.ID, c.UserID, c.Model, c.DisplayName, string(prefix), string(tokens),
		database.Time(c.CreatedAt), database.Time(c.UpdatedAt), database.Time(c.ExpiresAt))
	return err
}

func (store) renewCache(ctx context.Context, q database.Querier, c Cache) error {
	_, err := q.Exec(ctx, `UPDATE generate_caches SET updated_at = $1, expires_at = $2 WHERE id = $3`,
		database.Time(c.UpdatedAt), database.Time(c.ExpiresAt), c.ID)
	return err
}

func (store) deleteCache(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM generate_caches WHERE id = $1`, id)
	return err
}
