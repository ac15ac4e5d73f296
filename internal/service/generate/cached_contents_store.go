package generate

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/generate/files"
)

// The prefix is not among them: it may hold many megabytes, and only answers
// need it.
const cacheColumns = `id, user_id, model, display_name, size, tokens, created_at, updated_at, expires_at`

func scanCache(s database.Scanner) (c Cache, err error) {
	var tokens string
	err = s.Scan(&c.ID, &c.UserID, &c.Model, &c.DisplayName, &c.Size, &tokens,
		database.ScanTime(&c.CreatedAt), database.ScanTime(&c.UpdatedAt), database.ScanTime(&c.ExpiresAt))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal([]byte(tokens), &c.Tokens)
}

// cacheByID finds a cache, without its prefix.
func cacheByID(ctx context.Context, q database.Querier, userID int64, id string, now time.Time) (Cache, error) {
	c, err := database.One(ctx, q, scanCache, `SELECT `+cacheColumns+` FROM generate_caches
		WHERE id = $1 AND user_id = $2 AND expires_at > $3`, id, userID, database.Time(now))
	if errors.Is(err, database.ErrNotFound) {
		return c, errNoCache(id)
	}
	return c, err
}

func cachePrefixByID(ctx context.Context, q database.Querier, id string) (p CachePrefix, err error) {
	var raw string
	err = q.QueryRow(ctx, `SELECT prefix FROM generate_caches WHERE id = $1`, id).Scan(&raw)
	if errors.Is(err, database.ErrNotFound) {
		return p, errNoCache(id)
	}
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal([]byte(raw), &p)
}

func listCaches(
	ctx context.Context, q database.Querier, userID int64, after files.Cursor, now time.Time, limit int,
) ([]Cache, error) {
	return database.All(ctx, q, scanCache, `SELECT `+cacheColumns+` FROM generate_caches
		WHERE user_id = $1 AND expires_at > $2 AND (created_at < $3 OR (created_at = $3 AND id < $4))
		ORDER BY created_at DESC, id DESC LIMIT $5`,
		userID, database.Time(now), database.Time(after.CreatedAt), after.ID, limit)
}

func insertCache(ctx context.Context, q database.Querier, c Cache, prefix []byte) error {
	tokens, err := json.Marshal(c.Tokens)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO generate_caches (`+cacheColumns+`, prefix)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		c.ID, c.UserID, c.Model, c.DisplayName, c.Size, string(tokens),
		database.Time(c.CreatedAt), database.Time(c.UpdatedAt), database.Time(c.ExpiresAt), string(prefix))
	return err
}

// updateCache changes the expiry of a cache that is still there.
func updateCache(ctx context.Context, q database.Querier, c Cache) error {
	r, err := q.Exec(ctx, `UPDATE generate_caches SET updated_at = $1, expires_at = $2
		WHERE id = $3 AND expires_at > $1`, database.Time(c.UpdatedAt), database.Time(c.ExpiresAt), c.ID)
	if err == nil && r.RowsAffected == 0 {
		return errNoCache(c.ID)
	}
	return err
}

func deleteCache(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM generate_caches WHERE id = $1`, id)
	return err
}

// deleteExpiredCaches deletes caches that have expired, so many at most, and returns how many.
func deleteExpiredCaches(ctx context.Context, tx *database.Tx, now time.Time, limit int) (int, error) {
	r, err := tx.Exec(ctx, `DELETE FROM generate_caches WHERE id IN (
		SELECT id FROM generate_caches WHERE expires_at <= $1 LIMIT $2)`, database.Time(now), limit)
	return int(r.RowsAffected), err
}
