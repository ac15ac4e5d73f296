package pipelines

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const actionColumns = `build_id, step, node, name, kind, command, status, started_at, ended_at, exit_code, background, output_size, truncated`

func scanAction(s database.Scanner) (a Action, err error) {
	var code sql.NullInt64
	err = s.Scan(&a.BuildID, &a.Step, &a.Node, &a.Name, &a.Kind, &a.Command, &a.Status,
		database.ScanTime(&a.StartedAt), database.ScanNullTime(&a.EndedAt), &code, &a.Background, &a.OutputSize, &a.Truncated)
	if code.Valid {
		a.ExitCode = &code.Int64
	}
	return a, err
}

// putAction writes a step as it stands.
func putAction(ctx context.Context, tx *database.Tx, a Action) error {
	var code any
	if a.ExitCode != nil {
		code = *a.ExitCode
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_actions (`+actionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (build_id, step, node) DO UPDATE SET status = excluded.status, ended_at = excluded.ended_at,
			exit_code = excluded.exit_code, output_size = excluded.output_size, truncated = excluded.truncated`,
		a.BuildID, a.Step, a.Node, storable(a.Name), a.Kind, storable(a.Command), string(a.Status), database.Time(a.StartedAt),
		database.NullTime(a.EndedAt), code, a.Background, a.OutputSize, a.Truncated)
	return err
}

// actionsOf lists the steps of a job, by step and node, with so many characters
// of their commands: 64 nodes repeat the same 100 kB.
func actionsOf(ctx context.Context, q database.Querier, buildID int64, command int) ([]Action, error) {
	return database.All(ctx, q, scanAction, `SELECT build_id, step, node, substr(name, 1, 500), kind, substr(command, 1, $2),
		status, started_at, ended_at, exit_code, background, output_size, truncated
		FROM pipelines_actions WHERE build_id = $1 ORDER BY step, node`, buildID, command)
}

// reportedBytes is about what the tests and artifacts of a job take when they
// are read.
func reportedBytes(ctx context.Context, q database.Querier, buildID int64) (int64, error) {
	tests, err := database.One(ctx, q, scanID,
		`SELECT CAST(COALESCE(SUM(LENGTH(results)), 0) AS BIGINT) FROM pipelines_tests WHERE build_id = $1`, buildID)
	if err != nil {
		return 0, err
	}
	artifacts, err := database.One(ctx, q, scanID,
		`SELECT CAST(COALESCE(SUM(LENGTH(path) + 200), 0) AS BIGINT) FROM pipelines_artifacts WHERE build_id = $1`, buildID)
	return tests + artifacts, err
}

// endActions closes the steps that a job left open.
func endActions(ctx context.Context, tx *database.Tx, buildID int64, status ActionStatus, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_actions SET status = $2, ended_at = $3 WHERE build_id = $1 AND status = $4`,
		buildID, string(status), database.Time(now), string(ActionRunning))
	return err
}

// piece is a chunk as it is kept.
type piece struct {
	step, node int
	seq        int64
	kind       string
	at         time.Time
	size       int
	packed     []byte
}

func insertPiece(ctx context.Context, tx *database.Tx, buildID int64, p piece) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_output (build_id, step, node, seq, kind, at, size, packed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		buildID, p.step, p.node, p.seq, p.kind, database.Time(p.at), p.size, p.packed)
	return err
}

func scanPiece(s database.Scanner) (p piece, err error) {
	err = s.Scan(&p.step, &p.node, &p.seq, &p.kind, database.ScanTime(&p.at), &p.size, &p.packed)
	return p, err
}

// piecesOf lists what an action printed after a piece, at most so many.
func piecesOf(ctx context.Context, q database.Querier, buildID int64, step, node int, after int64, most int) ([]piece, error) {
	return database.All(ctx, q, scanPiece, `
		SELECT step, node, seq, kind, at, size, packed FROM pipelines_output
		WHERE build_id = $1 AND step = $2 AND node = $3 AND seq > $4 ORDER BY seq LIMIT $5`, buildID, step, node, after, most)
}

// deleteOldOutput forgets what jobs printed that ended before a moment, one job
// at a time so that no transaction is long.
func deleteOldOutput(ctx context.Context, tx *database.Tx, before time.Time, most int) (int64, error) {
	ids, err := database.All(ctx, tx, scanID, `
		SELECT DISTINCT o.build_id FROM pipelines_output o JOIN pipelines_builds b ON b.id = o.build_id
		WHERE b.stop_time < $1 LIMIT $2`, database.Time(before), most)
	for _, id := range ids {
		if err := deleteOutput(ctx, tx, id); err != nil {
			return 0, err
		}
	}
	return int64(len(ids)), err
}

// deleteOutput forgets what a job printed, and what that counted for its project.
func deleteOutput(ctx context.Context, tx *database.Tx, buildID int64) error {
	for _, text := range []string{
		`UPDATE pipelines_projects SET output_bytes = output_bytes - (
			SELECT CAST(COALESCE(SUM(LENGTH(packed)), 0) AS BIGINT) FROM pipelines_output WHERE build_id = $1)
		WHERE repo_id = (SELECT repo_id FROM pipelines_builds WHERE id = $1)`,
		`DELETE FROM pipelines_output WHERE build_id = $1`,
	} {
		if _, err := tx.Exec(ctx, text, buildID); err != nil {
			return err
		}
	}
	return nil
}

// addOutput counts what is printed for a project, and says how much that is in
// all. A project that was deleted meanwhile counts nothing.
func addOutput(ctx context.Context, tx *database.Tx, repoID, bytes int64) (int64, error) {
	used, err := database.One(ctx, tx, scanID, `
		UPDATE pipelines_projects SET output_bytes = output_bytes + $2 WHERE repo_id = $1 RETURNING output_bytes`, repoID, bytes)
	if errors.Is(err, database.ErrNotFound) {
		return 0, nil
	}
	return used, err
}

// ownerBytes is the size of all artifacts, caches and layers that jobs of an owner
// keep.
func ownerBytes(ctx context.Context, tx *database.Tx, owner int64, now time.Time) (int64, error) {
	return database.One(ctx, tx, scanID, `
		SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM (
			SELECT size FROM pipelines_artifacts WHERE owner_id = $1 AND expires_at > $2
			UNION ALL SELECT size FROM pipelines_caches WHERE owner_id = $1 AND expires_at > $2
			UNION ALL SELECT size FROM pipelines_layers WHERE owner_id = $1 AND expires_at > $2) AS held`, owner, database.Time(now))
}

func insertArtifact(ctx context.Context, tx *database.Tx, repoID, ownerID int64, a Artifact) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_artifacts (build_id, node, path, size, blob_key, expires_at, repo_id, owner_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (build_id, node, path) DO UPDATE SET size = excluded.size, blob_key = excluded.blob_key, expires_at = excluded.expires_at`,
		a.BuildID, a.Node, a.Path, a.Size, a.key, database.Time(a.ExpiresAt), repoID, ownerID)
	return err
}

// artifactBytes is the size of all living artifacts of a project.
func artifactBytes(ctx context.Context, q database.Querier, repoID int64, now time.Time) (int64, error) {
	return database.One(ctx, q, scanID, `
		SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM pipelines_artifacts WHERE repo_id = $1 AND expires_at > $2`, repoID, database.Time(now))
}

const artifactColumns = `SELECT build_id, node, path, size, blob_key, expires_at FROM pipelines_artifacts WHERE build_id = $1 AND expires_at > $2`

func scanArtifact(s database.Scanner) (a Artifact, err error) {
	err = s.Scan(&a.BuildID, &a.Node, &a.Path, &a.Size, &a.key, database.ScanTime(&a.ExpiresAt))
	return a, err
}

func artifactsOf(ctx context.Context, q database.Querier, buildID int64, now time.Time) ([]Artifact, error) {
	return database.All(ctx, q, scanArtifact, artifactColumns+` ORDER BY node, path`, buildID, database.Time(now))
}

func artifactAt(ctx context.Context, q database.Querier, buildID int64, node int, path string, now time.Time) (Artifact, error) {
	return database.One(ctx, q, scanArtifact, artifactColumns+` AND node = $3 AND path = $4`, buildID, database.Time(now), node, path)
}

func insertTests(ctx context.Context, tx *database.Tx, buildID int64, node int, seq int64, results string) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_tests (build_id, node, seq, results) VALUES ($1, $2, $3, $4)`, buildID, node, seq, results)
	return err
}

func testsOf(ctx context.Context, q database.Querier, buildID int64) ([]string, error) {
	return database.All(ctx, q, func(s database.Scanner) (text string, err error) {
		err = s.Scan(&text)
		return text, err
	}, `SELECT results FROM pipelines_tests WHERE build_id = $1 ORDER BY node, seq`, buildID)
}

// kept is a cache or a layer.
type kept struct{ name, blob string }

func scanKept(s database.Scanner) (k kept, err error) {
	err = s.Scan(&k.name, &k.blob)
	return k, err
}

func cacheExists(ctx context.Context, q database.Querier, repoID int64, key string, now time.Time) (bool, error) {
	n, err := database.One(ctx, q, scanID,
		`SELECT COUNT(*) FROM pipelines_caches WHERE repo_id = $1 AND cache_key = $2 AND expires_at > $3`, repoID, key, database.Time(now))
	return n > 0, err
}

// insertCache writes a cache unless a living one has its key; false then.
func insertCache(ctx context.Context, tx *database.Tx, repoID, ownerID int64, k kept, size int64, now, expires time.Time) (bool, error) {
	if _, err := tx.Exec(ctx, `DELETE FROM pipelines_caches WHERE repo_id = $1 AND cache_key = $2 AND expires_at <= $3`,
		repoID, k.name, database.Time(now)); err != nil {
		return false, err
	}
	result, err := tx.Exec(ctx, `
		INSERT INTO pipelines_caches (repo_id, cache_key, blob_key, size, created_at, expires_at, owner_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (repo_id, cache_key) DO NOTHING`, repoID, k.name, k.blob, size, database.Time(now), database.Time(expires), ownerID)
	return result.RowsAffected > 0, err
}

// makeRoom forgets the oldest caches of a project until the others have at most
// so many bytes, and says where the bytes of those are.
func makeRoom(ctx context.Context, tx *database.Tx, repoID, most int64) (gone []kept, err error) {
	used, err := database.One(ctx, tx, scanID, `SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM pipelines_caches WHERE repo_id = $1`, repoID)
	for err == nil && used > most {
		var id, size int64
		var k kept
		err = tx.QueryRow(ctx, `SELECT id, size, cache_key, blob_key FROM pipelines_caches WHERE repo_id = $1 ORDER BY id LIMIT 1`, repoID).
			Scan(&id, &size, &k.name, &k.blob)
		if err != nil {
			return nil, err
		}
		_, err = tx.Exec(ctx, `DELETE FROM pipelines_caches WHERE id = $1`, id)
		gone, used = append(gone, k), used-size
	}
	return gone, err
}

// newestCache is the newest living cache whose key starts with prefix.
func newestCache(ctx context.Context, q database.Querier, repoID int64, prefix string, now time.Time) (kept, error) {
	return database.One(ctx, q, scanKept, `
		SELECT cache_key, blob_key FROM pipelines_caches
		WHERE repo_id = $1 AND substr(cache_key, 1, length($2)) = $2 AND expires_at > $3 ORDER BY id DESC LIMIT 1`, repoID, prefix, database.Time(now))
}

// dropCaches forgets the caches of a project and says where their bytes are.
func dropCaches(ctx context.Context, tx *database.Tx, repoID int64) ([]kept, error) {
	list, err := database.All(ctx, tx, scanKept, `SELECT cache_key, blob_key FROM pipelines_caches WHERE repo_id = $1`, repoID)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM pipelines_caches WHERE repo_id = $1`, repoID)
	return list, err
}

// insertLayer writes a layer of the workspace of a job.
func insertLayer(ctx context.Context, tx *database.Tx, b *Build, blob string, size int64, expires time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_layers (workspace_id, build_id, repo_id, size, blob_key, expires_at, owner_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		b.Workflow.WorkspaceID, b.ID, b.RepoID, size, blob, database.Time(expires), b.OwnerID)
	return err
}

// layerBytes is the size of all living layers of a project.
func layerBytes(ctx context.Context, q database.Querier, repoID int64, now time.Time) (int64, error) {
	return database.One(ctx, q, scanID, `
		SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM pipelines_layers WHERE repo_id = $1 AND expires_at > $2`, repoID, database.Time(now))
}

func layersOf(ctx context.Context, q database.Querier, workspace string, now time.Time) ([]kept, error) {
	return database.All(ctx, q, scanKept,
		`SELECT workspace_id, blob_key FROM pipelines_layers WHERE workspace_id = $1 AND expires_at > $2 ORDER BY id`, workspace, database.Time(now))
}

// sweepTexts delete rows whose bytes have expired.
func sweepTexts() []string {
	return []string{
		`DELETE FROM pipelines_artifacts WHERE expires_at <= $1`, `DELETE FROM pipelines_caches WHERE expires_at <= $1`,
		`DELETE FROM pipelines_layers WHERE expires_at <= $1`,
	}
}

func deleteExpired(ctx context.Context, tx *database.Tx, now time.Time) error {
	for _, text := range sweepTexts() {
		if _, err := tx.Exec(ctx, text, database.Time(now)); err != nil {
			return err
		}
	}
	return nil
}

// orphans lists jobs whose repository was deleted and that have ended.
func orphans(ctx context.Context, q database.Querier, most int) ([]int64, error) {
	return database.All(ctx, q, scanID, `
		SELECT id FROM pipelines_builds b WHERE lifecycle IN ('finished', 'not_run')
		AND NOT EXISTS (SELECT 1 FROM pipelines_projects p WHERE p.repo_id = b.repo_id) ORDER BY id LIMIT $1`, most)
}

// deleteBuild forgets a job and everything about it. Its bytes go when they
// expire.
func deleteBuild(ctx context.Context, tx *database.Tx, id int64) error {
	if err := deleteOutput(ctx, tx, id); err != nil {
		return err
	}
	for _, text := range []string{
		`DELETE FROM pipelines_actions WHERE build_id = $1`,
		`DELETE FROM pipelines_artifacts WHERE build_id = $1`, `DELETE FROM pipelines_tests WHERE build_id = $1`,
		`DELETE FROM pipelines_details WHERE build_id = $1`, `DELETE FROM pipelines_builds WHERE id = $1`,
	} {
		if _, err := tx.Exec(ctx, text, id); err != nil {
			return err
		}
	}
	return nil
}
