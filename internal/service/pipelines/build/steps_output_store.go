package build

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"

	"stoa.dev/stoa/internal/platform/database"
)

func scanAction(s database.Scanner) (a Action, err error) {
	var code sql.NullInt64
	err = s.Scan(&a.BuildID, &a.Step, &a.Node, &a.Name, &a.Kind, &a.Command, &a.Status,
		database.ScanTime(&a.StartedAt), database.ScanNullTime(&a.EndedAt), &code, &a.Background, &a.OutputSize,
		&a.Truncated)
	if code.Valid {
		a.ExitCode = &code.Int64
	}
	return a, err
}

// UpsertAction writes a step as it stands.
func UpsertAction(ctx context.Context, tx *database.Tx, a Action) error {
	var code any
	if a.ExitCode != nil {
		code = *a.ExitCode
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_actions (build_id, step, node, name, kind, command, status, started_at, ended_at,
			exit_code, background, output_size, truncated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (build_id, step, node) DO UPDATE SET status = excluded.status, ended_at = excluded.ended_at,
			exit_code = excluded.exit_code, output_size = excluded.output_size, truncated = excluded.truncated`,
		a.BuildID, a.Step, a.Node, Storable(a.Name), a.Kind, Storable(a.Command), string(a.Status),
		database.Time(a.StartedAt), database.NullTime(a.EndedAt), code, a.Background, a.OutputSize, a.Truncated)
	return err
}

// Actions lists the steps of a job, by step and node, with so many characters of their commands: 64 nodes repeat the
// same 100 kB.
func Actions(ctx context.Context, q database.Querier, buildID int64, command int) ([]Action, error) {
	return database.All(ctx, q, scanAction, `
		SELECT build_id, step, node, substr(name, 1, 500), kind, substr(command, 1, $2),
			status, started_at, ended_at, exit_code, background, output_size, truncated
		FROM pipelines_actions WHERE build_id = $1 ORDER BY step, node`, buildID, command)
}

// Progress differs once the actions of a job have changed.
type Progress struct{ Actions, Ended, Output int64 }

// ProgressOf is how far a job is.
func ProgressOf(ctx context.Context, q database.Querier, buildID int64) (Progress, error) {
	return database.One(ctx, q, func(s database.Scanner) (p Progress, err error) {
		err = s.Scan(&p.Actions, &p.Ended, &p.Output)
		return p, err
	}, `SELECT COUNT(*), COUNT(ended_at), CAST(COALESCE(SUM(output_size), 0) AS BIGINT)
		FROM pipelines_actions WHERE build_id = $1`, buildID)
}

// EndActions closes the steps that a job left open.
func EndActions(ctx context.Context, tx *database.Tx, buildID int64, status ActionStatus, now time.Time) error {
	_, err := tx.Exec(ctx,
		`UPDATE pipelines_actions SET status = $2, ended_at = $3 WHERE build_id = $1 AND status = $4`,
		buildID, string(status), database.Time(now), string(ActionRunning))
	return err
}

// InsertPiece writes a piece of output; false when it is there already, from a commit whose answer was lost.
func InsertPiece(ctx context.Context, tx *database.Tx, buildID int64, p Piece) (bool, error) {
	result, err := tx.Exec(ctx, `
		INSERT INTO pipelines_output (build_id, step, node, seq, kind, at, size, packed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (build_id, step, node, seq) DO NOTHING`,
		buildID, p.Step, p.Node, p.Seq, p.Kind, database.Time(p.At), p.Size, p.Packed)
	return result.RowsAffected > 0, err
}

// listPieces lists what an action printed after a piece.
func listPieces(
	ctx context.Context, q database.Querier, buildID int64, step, node int, after int64, limit int,
) ([]Piece, error) {
	return database.All(ctx, q, func(s database.Scanner) (p Piece, err error) {
		err = s.Scan(&p.Step, &p.Node, &p.Seq, &p.Kind, database.ScanTime(&p.At), &p.Size, &p.Packed)
		return p, err
	}, `
		SELECT step, node, seq, kind, at, size, packed FROM pipelines_output
		WHERE build_id = $1 AND step = $2 AND node = $3 AND seq > $4 ORDER BY seq LIMIT $5`,
		buildID, step, node, after, limit)
}

// readAhead is how many pieces of output are read at once, after the first ones: many readers want only the
// beginning.
const readAhead = 8

// ErrEnough ends EachPiece before the end of the output.
var ErrEnough = errors.New("pipelines: the reader has enough")

// EachPiece hands what an action printed after a piece to fn, in order and unpacked, until fn returns ErrEnough. It
// returns the number of the last piece.
func EachPiece(
	ctx context.Context, q database.Querier, id int64, step, node int, after int64, fn func(p Piece, text []byte) error,
) (last int64, err error) {
	for ahead := 1; ; ahead = min(2*ahead, readAhead) {
		list, err := listPieces(ctx, q, id, step, node, after, ahead)
		if err != nil || len(list) == 0 {
			return after, err
		}
		for _, p := range list {
			text, err := unpack(p.Packed)
			if err != nil {
				return after, fmt.Errorf("output %d/%d/%d/%d: %w", id, step, node, p.Seq, err)
			}
			if err := fn(p, text); errors.Is(err, ErrEnough) {
				return p.Seq, nil
			} else if err != nil {
				return after, err
			}
			after = p.Seq
		}
	}
}

// Pack is a text as pieces hold it.
func Pack(text []byte) []byte { return s2.Encode(nil, text) }

func unpack(packed []byte) ([]byte, error) {
	if n, err := s2.DecodedLen(packed); err != nil || n > MaxPiece {
		return nil, errors.New("the piece is damaged")
	}
	return s2.Decode(nil, packed)
}

// AddOutput counts what is printed for a project and returns how much that is in all. A project that was deleted
// meanwhile counts nothing.
func AddOutput(ctx context.Context, tx *database.Tx, repoID, bytes int64) (int64, error) {
	used, err := database.One(ctx, tx, scanInt, `
		UPDATE pipelines_projects SET output_bytes = output_bytes + $2 WHERE repo_id = $1 RETURNING output_bytes`,
		repoID, bytes)
	if errors.Is(err, database.ErrNotFound) {
		return 0, nil
	}
	return used, err
}

func scanInt(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// ReportedBytes is about what the tests and artifacts of a job take when they are read.
func ReportedBytes(ctx context.Context, q database.Querier, buildID int64) (int64, error) {
	tests, err := database.One(ctx, q, scanInt,
		`SELECT CAST(COALESCE(SUM(LENGTH(results)), 0) AS BIGINT) FROM pipelines_tests WHERE build_id = $1`, buildID)
	if err != nil {
		return 0, err
	}
	artifacts, err := database.One(ctx, q, scanInt,
		`SELECT CAST(COALESCE(SUM(LENGTH(path) + 200), 0) AS BIGINT) FROM pipelines_artifacts WHERE build_id = $1`,
		buildID)
	return tests + artifacts, err
}
