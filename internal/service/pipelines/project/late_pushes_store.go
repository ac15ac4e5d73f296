package project

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// LatePush is the newest push to a branch or tag that found the queue of its owner full.
type LatePush struct {
	ID, RepoID int64
	Ref        string
	Owner      int64
	// Payload is what the queue is to get.
	Payload string
}

func scanLatePush(s database.Scanner) (p LatePush, err error) {
	err = s.Scan(&p.ID, &p.RepoID, &p.Ref, &p.Owner, &p.Payload)
	return p, err
}

const latePushColumns = `id, repo_id, ref, owner_id, payload`

// InsertLatePush keeps a push; there must be none of the branch or tag.
func InsertLatePush(ctx context.Context, tx *database.Tx, p LatePush) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_late_pushes (repo_id, ref, owner_id, payload)
		VALUES ($1, $2, $3, $4)`, p.RepoID, p.Ref, p.Owner, p.Payload)
	return err
}

// TakeLatePush deletes what is kept of a branch or tag and returns it, in a list that is empty when there is none.
func TakeLatePush(ctx context.Context, tx *database.Tx, repoID int64, ref string) ([]LatePush, error) {
	return database.All(ctx, tx, scanLatePush, `DELETE FROM pipelines_late_pushes
		WHERE repo_id = $1 AND ref = $2 RETURNING `+latePushColumns, repoID, ref)
}

// TakeOldestLatePush is TakeLatePush for the oldest of an owner. Another transaction may take the same one first: then
// the list is empty too.
func TakeOldestLatePush(ctx context.Context, tx *database.Tx, owner int64) ([]LatePush, error) {
	return database.All(ctx, tx, scanLatePush, `DELETE FROM pipelines_late_pushes
		WHERE id = (SELECT MIN(id) FROM pipelines_late_pushes WHERE owner_id = $1) RETURNING `+latePushColumns, owner)
}

// HasLatePush reports whether a push of an owner is kept.
func HasLatePush(ctx context.Context, q database.Querier, owner int64) (has bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pipelines_late_pushes WHERE owner_id = $1)`, owner).Scan(&has)
	return has, err
}

// LatePushOwners lists whose pushes are kept, at most so many owners.
func LatePushOwners(ctx context.Context, q database.Querier, limit int) ([]int64, error) {
	return database.All(ctx, q, func(s database.Scanner) (owner int64, err error) {
		err = s.Scan(&owner)
		return owner, err
	}, `SELECT DISTINCT owner_id FROM pipelines_late_pushes LIMIT $1`, limit)
}
