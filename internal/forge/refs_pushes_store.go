package forge

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

// lane is the key under which changes of one repository exclude each other.
func lane(id int64) string { return "forge/" + strconv.FormatInt(id, 10) }

func recordedRefs(ctx context.Context, q database.Querier, id int64) ([]Ref, error) {
	return database.All(ctx, q, func(s database.Scanner) (r Ref, err error) {
		err = s.Scan(&r.Name, &r.SHA)
		return r, err
	}, `SELECT name, sha FROM forge_refs WHERE repository_id = $1 ORDER BY name`, id)
}

func putRef(ctx context.Context, tx *database.Tx, id int64, r Ref) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO forge_refs (repository_id, name, sha) VALUES ($1, $2, $3)
		ON CONFLICT (repository_id, name) DO UPDATE SET sha = excluded.sha`, id, r.Name, r.SHA)
	return err
}

func dropRef(ctx context.Context, tx *database.Tx, id int64, name string) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_refs WHERE repository_id = $1 AND name = $2`, id, name)
	return err
}

func insertPush(ctx context.Context, tx *database.Tx, p Push) (id int64, err error) {
	commits, err := json.Marshal(p.Commits)
	if err != nil {
		return 0, err
	}
	return singlerow.Insert(ctx, tx, "id", `
		INSERT INTO forge_pushes (repository_id, ref, before_sha, after_sha, forced, size, distinct_size, commits, actor_id, actor_name, pushed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		p.RepositoryID, p.Ref, p.Before, p.After, p.Forced, p.Size, p.DistinctSize, string(commits),
		p.Actor.ID, p.Actor.Name, database.Time(p.At))
}

// pending is a push that has begun.
type pending struct {
	id, repositoryID int64
	actor            Actor
	startedAt        time.Time
}

func insertPending(ctx context.Context, tx *database.Tx, p pending) (id int64, err error) {
	return singlerow.Insert(ctx, tx, "id", `
		INSERT INTO forge_pending (repository_id, actor_id, actor_name, started_at) VALUES ($1, $2, $3, $4)`,
		p.repositoryID, p.actor.ID, p.actor.Name, database.Time(p.startedAt))
}

func deletePending(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_pending WHERE id = $1`, id)
	return err
}

// pendingBefore are the pushes that began before a time, oldest first.
func pendingBefore(ctx context.Context, q database.Querier, before time.Time, limit int) ([]pending, error) {
	return database.All(ctx, q, func(s database.Scanner) (p pending, err error) {
		err = s.Scan(&p.id, &p.repositoryID, &p.actor.ID, &p.actor.Name, database.ScanTime(&p.startedAt))
		return p, err
	}, `SELECT id, repository_id, actor_id, actor_name, started_at FROM forge_pending WHERE started_at < $1 ORDER BY id LIMIT $2`,
		database.Time(before), limit)
}

func recordedRef(ctx context.Context, q database.Querier, repositoryID int64, name string) (sha string, err error) {
	err = q.QueryRow(ctx, `SELECT sha FROM forge_refs WHERE repository_id = $1 AND name = $2`, repositoryID, name).Scan(&sha)
	return sha, err
}

func countRefs(ctx context.Context, q database.Querier, repositoryID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_refs WHERE repository_id = $1`, repositoryID).Scan(&n)
	return n, err
}

// isPushed reports whether a push to the repository goes on.
func isPushed(ctx context.Context, q database.Querier, repositoryID int64) (yes bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM forge_pending WHERE repository_id = $1)`, repositoryID).Scan(&yes)
	return yes, err
}
