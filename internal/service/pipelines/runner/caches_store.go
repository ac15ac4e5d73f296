package runner

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// cache is a cache under its key, and where its bytes are.
type cache struct{ key, blob string }

func scanText(s database.Scanner) (text string, err error) {
	err = s.Scan(&text)
	return text, err
}

func cacheExists(ctx context.Context, q database.Querier, repoID int64, key string, now time.Time) (bool, error) {
	n, err := database.One(ctx, q, scanInt,
		`SELECT COUNT(*) FROM pipelines_caches WHERE repo_id = $1 AND cache_key = $2 AND expires_at > $3`,
		repoID, key, database.Time(now))
	return n > 0, err
}

// insertCache writes a cache of a job unless a living one has its key; false then.
func insertCache(
	ctx context.Context, tx *database.Tx, b *build.Build, c cache, size int64, now, expires time.Time,
) (bool, error) {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_caches WHERE repo_id = $1 AND cache_key = $2 AND expires_at <= $3`,
		b.RepoID, c.key, database.Time(now))
	if err != nil {
		return false, err
	}
	result, err := tx.Exec(ctx, `
		INSERT INTO pipelines_caches (repo_id, cache_key, blob_key, size, created_at, expires_at, owner_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (repo_id, cache_key) DO NOTHING`,
		b.RepoID, c.key, c.blob, size, database.Time(now), database.Time(expires), b.OwnerID)
	return result.RowsAffected > 0, err
}

// evictCaches forgets the oldest caches of a project until the others have at most so many bytes, and returns where
// the bytes of those are.
func evictCaches(ctx context.Context, tx *database.Tx, repoID, limit int64) (blobs []string, err error) {
	used, err := database.One(ctx, tx, scanInt,
		`SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM pipelines_caches WHERE repo_id = $1`, repoID)
	for err == nil && used > limit {
		var id, size int64
		var blob string
		err = tx.QueryRow(ctx, `SELECT id, size, blob_key FROM pipelines_caches WHERE repo_id = $1 ORDER BY id LIMIT 1`,
			repoID).Scan(&id, &size, &blob)
		if err != nil {
			return nil, err
		}
		_, err = tx.Exec(ctx, `DELETE FROM pipelines_caches WHERE id = $1`, id)
		blobs, used = append(blobs, blob), used-size
	}
	return blobs, err
}

// newestCache is the newest living cache whose key starts with prefix.
func newestCache(ctx context.Context, q database.Querier, repoID int64, prefix string, now time.Time) (cache, error) {
	return database.One(ctx, q, func(s database.Scanner) (c cache, err error) {
		err = s.Scan(&c.key, &c.blob)
		return c, err
	}, `
		SELECT cache_key, blob_key FROM pipelines_caches
		WHERE repo_id = $1 AND substr(cache_key, 1, length($2)) = $2 AND expires_at > $3 ORDER BY id DESC LIMIT 1`,
		repoID, prefix, database.Time(now))
}

// deleteCaches forgets the caches of a project and returns where their bytes are.
func deleteCaches(ctx context.Context, tx *database.Tx, repoID int64) ([]string, error) {
	blobs, err := database.All(ctx, tx, scanText, `SELECT blob_key FROM pipelines_caches WHERE repo_id = $1`, repoID)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM pipelines_caches WHERE repo_id = $1`, repoID)
	return blobs, err
}
