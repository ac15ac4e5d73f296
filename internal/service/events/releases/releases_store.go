package releases

import (
	"context"
	"encoding/json"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

func scanRelease(s database.Scanner) (r Release, err error) {
	var id int64
	var data string
	if err = s.Scan(&id, &data); err != nil {
		return r, err
	}
	if err = json.Unmarshal([]byte(data), &r); err != nil {
		return r, fmt.Errorf("release %d: %w", id, err)
	}
	r.ID = id
	return r, nil
}

func insertRelease(ctx context.Context, tx *database.Tx, r *Release) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	r.ID, err = singlerow.Insert(ctx, tx, "id", `
		INSERT INTO events_releases (repo_id, tag, draft, prerelease, data) VALUES ($1, $2, $3, $4, $5)`,
		r.RepoID, r.Tag, r.Draft, r.Prerelease, string(data))
	return err
}

func updateRelease(ctx context.Context, tx *database.Tx, r Release) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE events_releases SET tag = $2, draft = $3, prerelease = $4, data = $5 WHERE id = $1`,
		r.ID, r.Tag, r.Draft, r.Prerelease, string(data))
	return err
}

func deleteRelease(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM events_releases WHERE id = $1`, id)
	return err
}

// DeleteAll removes the releases of a repository that is gone.
func DeleteAll(ctx context.Context, tx *database.Tx, repoID int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM events_releases WHERE repo_id = $1`, repoID)
	return err
}

func countReleases(ctx context.Context, q database.Querier, repoID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM events_releases WHERE repo_id = $1`, repoID).Scan(&n)
	return n, err
}

func releaseByID(ctx context.Context, q database.Querier, repoID, id int64) (Release, error) {
	return database.One(ctx, q, scanRelease,
		`SELECT id, data FROM events_releases WHERE repo_id = $1 AND id = $2`, repoID, id)
}

// releaseRepo is the repository that a release is of.
func releaseRepo(ctx context.Context, q database.Querier, id int64) (repoID int64, err error) {
	err = q.QueryRow(ctx, `SELECT repo_id FROM events_releases WHERE id = $1`, id).Scan(&repoID)
	return repoID, err
}

func releaseByTag(ctx context.Context, q database.Querier, repoID int64, tag string) (Release, error) {
	return database.One(ctx, q, scanRelease,
		`SELECT id, data FROM events_releases WHERE repo_id = $1 AND tag = $2`, repoID, tag)
}

// latestRelease is the newest that is neither a draft nor a prerelease.
func latestRelease(ctx context.Context, q database.Querier, repoID int64) (Release, error) {
	return database.One(ctx, q, scanRelease, `
		SELECT id, data FROM events_releases WHERE repo_id = $1 AND draft = $2 AND prerelease = $2
		ORDER BY id DESC LIMIT 1`, repoID, false)
}

// listReleases lists releases, newest first; drafts for those who may see them.
func listReleases(
	ctx context.Context, q database.Querier, repoID int64, drafts bool, size int, offset int64,
) (list []Release, total int64, err error) {
	const where = ` FROM events_releases WHERE repo_id = $1 AND (draft = $2 OR draft = $3)`
	if err = q.QueryRow(ctx, `SELECT COUNT(*)`+where, repoID, false, drafts).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = database.All(ctx, q, scanRelease, `SELECT id, data`+where+` ORDER BY id DESC LIMIT $4 OFFSET $5`,
		repoID, false, drafts, size, offset)
	return list, total, err
}
