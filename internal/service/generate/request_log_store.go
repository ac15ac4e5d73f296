package generate

import (
	"context"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const logColumns = `id, user_id, key_id, model, request, response, created_at, expires_at`

func insertLog(ctx context.Context, q database.Querier, l LogEntry) error {
	_, err := q.Exec(ctx, `INSERT INTO generate_log
		(user_id, key_id, model, asked, said, request, response, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		l.UserID, l.KeyID, l.Model, l.Asked, l.Said, string(l.Request), string(l.Response),
		database.Time(l.CreatedAt), database.Time(l.ExpiresAt))
	return err
}

func scanLog(s database.Scanner) (l LogEntry, err error) {
	var request, response string
	err = s.Scan(&l.ID, &l.UserID, &l.KeyID, &l.Model, &request, &response,
		database.ScanTime(&l.CreatedAt), database.ScanTime(&l.ExpiresAt))
	l.Request, l.Response = json.RawMessage(request), json.RawMessage(response)
	return l, err
}

// listLogs gives the newest entries of all users before a number.
func listLogs(
	ctx context.Context, q database.Querier, before int64, now time.Time, limit int,
) ([]LogEntry, error) {
	return database.All(ctx, q, scanLog, `SELECT `+logColumns+` FROM generate_log
		WHERE id < $1 AND expires_at > $2 ORDER BY id DESC LIMIT $3`, before, database.Time(now), limit)
}

// listUserLogs gives the newest entries of one user.
func listUserLogs(
	ctx context.Context, q database.Querier, userID, before int64, now time.Time, limit int,
) ([]LogEntry, error) {
	return database.All(ctx, q, scanLog, `SELECT `+logColumns+` FROM generate_log
		WHERE user_id = $1 AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4`,
		userID, before, database.Time(now), limit)
}

// listUserLogTitles gives the entries of one user without request and answer,
// which may hold many megabytes each.
func listUserLogTitles(
	ctx context.Context, q database.Querier, userID, before int64, now time.Time, limit int,
) ([]LogEntry, error) {
	scan := func(s database.Scanner) (l LogEntry, err error) {
		err = s.Scan(&l.ID, &l.Model, &l.Asked, &l.Said,
			database.ScanTime(&l.CreatedAt), database.ScanTime(&l.ExpiresAt))
		return l, err
	}
	return database.All(ctx, q, scan, `SELECT id, model, asked, said, created_at, expires_at FROM generate_log
		WHERE user_id = $1 AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4`,
		userID, before, database.Time(now), limit)
}

// deleteExpired deletes the caches and log entries that have expired.
func deleteExpired(ctx context.Context, tx *database.Tx, now time.Time) error {
	for _, statement := range []string{
		`DELETE FROM generate_caches WHERE expires_at <= $1`,
		`DELETE FROM generate_log WHERE expires_at <= $1`,
	} {
		if _, err := tx.Exec(ctx, statement, database.Time(now)); err != nil {
			return err
		}
	}
	return nil
}
