package generate

import (
	"context"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// store is the SQL of the service. It holds nothing.
type store struct{}

// cursor is where a page ended: the newest come first.
type cursor struct {
	CreatedAt time.Time `json:"c"`
	ID        string    `json:"i"`
}

const logColumns = `id, user_id, key_id, model, request, response, created_at, expires_at`

func (store) insertLog(ctx context.Context, q database.Querier, l LogEntry) error {
	_, err := q.Exec(ctx, `INSERT INTO generate_log (user_id, key_id, model, asked, said, request, response, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		l.UserID, l.KeyID, l.Model, l.Asked, l.Said, string(l.Request), string(l.Response), database.Time(l.CreatedAt), database.Time(l.ExpiresAt))
	return err
}

func scanLog(s database.Scanner) (l LogEntry, err error) {
	var request, response string
	err = s.Scan(&l.ID, &l.UserID, &l.KeyID, &l.Model, &request, &response,
		database.ScanTime(&l.CreatedAt), database.ScanTime(&l.ExpiresAt))
	l.Request, l.Response = json.RawMessage(request), json.RawMessage(response)
	return l, err
}

// logs are the newest entries of everybody before a number.
func (store) logs(ctx context.Context, q database.Querier, before int64, now time.Time, limit int) ([]LogEntry, error) {
	return database.All(ctx, q, scanLog, `SELECT `+logColumns+` FROM generate_log
		WHERE id < $1 AND expires_at > $2 ORDER BY id DESC LIMIT $3`, before, database.Time(now), limit)
}

// logsOf are the newest entries of one user.
func (store) logsOf(ctx context.Context, q database.Querier, userID, before int64, now time.Time, limit int) ([]LogEntry, error) {
	return database.All(ctx, q, scanLog, `SELECT `+logColumns+` FROM generate_log
		WHERE user_id = $1 AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4`, userID, before, database.Time(now), limit)
}

// logLines are the entries of one user without request and answer, which may
// hold many megabytes each.
func (store) logLines(ctx context.Context, q database.Querier, userID, before int64, now time.Time, limit int) ([]LogEntry, error) {
	scan := func(s database.Scanner) (l LogEntry, err error) {
		err = s.Scan(&l.ID, &l.Model, &l.Asked, &l.Said, database.ScanTime(&l.CreatedAt), database.ScanTime(&l.ExpiresAt))
		return l, err
	}
	return database.All(ctx, q, scan, `SELECT id, model, asked, said, created_at, expires_at FROM generate_log
		WHERE user_id = $1 AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4`, userID, before, database.Time(now), limit)
}

// sweep removes what has expired and gives the files whose bytes must go too.
func (store) sweep(ctx context.Context, tx *database.Tx, now time.Time) ([]File, error) {
	gone, err := database.All(ctx, tx, scanFile, `DELETE FROM generate_files WHERE expires_at <= $1 RETURNING `+fileColumns, database.Time(now))
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{
		`DELETE FROM generate_uploads WHERE expires_at <= $1`,
		`DELETE FROM generate_caches WHERE expires_at <= $1`,
		`DELETE FROM generate_log WHERE expires_at <= $1`,
	} {
		if _, err := tx.Exec(ctx, statement, database.Time(now)); err != nil {
			return nil, err
		}
	}
	return gone, nil
}
