package requestlog

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const columns = `id, user_id, key_id, model, request, response, created_at, expires_at`

// maxKept is after how many bytes of newer ones an entry of a user goes.
const maxKept = 1 << 30

// Keep stores an entry. Those of its user go that have most bytes, or as many as any user may have stored, of newer
// ones after them.
func Keep(ctx context.Context, db *database.DB, e Entry, most int64) error {
	most = min(most, maxKept)
	key := "generate log/" + strconv.FormatInt(e.UserID, 10)
	return db.WriteKeyed(ctx, key, func(ctx context.Context, tx *database.Tx) error {
		total, err := totalOf(ctx, tx, e.UserID)
		if err != nil {
			return err
		}
		total += int64(len(e.Request) + len(e.Response))
		if err := insert(ctx, tx, e, total); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM generate_log WHERE user_id = $1 AND total <= $2`, e.UserID, total-most)
		return err
	})
}

// totalOf is how many bytes a user had stored with the newest entry; each entry has the sum of all up to it.
func totalOf(ctx context.Context, q database.Querier, userID int64) (total int64, err error) {
	err = q.QueryRow(ctx, `SELECT total FROM generate_log WHERE user_id = $1 ORDER BY id DESC LIMIT 1`, userID).
		Scan(&total)
	if errors.Is(err, database.ErrNotFound) {
		return 0, nil
	}
	return total, err
}

func insert(ctx context.Context, q database.Querier, e Entry, total int64) error {
	_, err := q.Exec(ctx, `INSERT INTO generate_log
		(user_id, key_id, model, asked, said, request, response, created_at, expires_at, total)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		e.UserID, e.KeyID, e.Model, e.Asked, e.Said, string(e.Request), string(e.Response),
		database.Time(e.CreatedAt), database.Time(e.ExpiresAt), total)
	return err
}

func scan(s database.Scanner) (l Entry, err error) {
	var request, response string
	err = s.Scan(&l.ID, &l.UserID, &l.KeyID, &l.Model, &request, &response,
		database.ScanTime(&l.CreatedAt), database.ScanTime(&l.ExpiresAt))
	l.Request, l.Response = json.RawMessage(request), json.RawMessage(response)
	return l, err
}

// OfAll gives the newest entries of all users before a number.
func OfAll(
	ctx context.Context, q database.Querier, before int64, now time.Time, limit int,
) ([]Entry, error) {
	return database.All(ctx, q, scan, `SELECT `+columns+` FROM generate_log
		WHERE id < $1 AND expires_at > $2 ORDER BY id DESC LIMIT $3`, before, database.Time(now), limit)
}

// OfUser gives the newest entries of one user.
func OfUser(
	ctx context.Context, q database.Querier, userID, before int64, now time.Time, limit int,
) ([]Entry, error) {
	return database.All(ctx, q, scan, `SELECT `+columns+` FROM generate_log
		WHERE user_id = $1 AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4`,
		userID, before, database.Time(now), limit)
}

// Titles gives the entries of one user without request and answer,
// which may hold many megabytes each.
func Titles(
	ctx context.Context, q database.Querier, userID, before int64, now time.Time, limit int,
) ([]Entry, error) {
	title := func(s database.Scanner) (l Entry, err error) {
		err = s.Scan(&l.ID, &l.Model, &l.Asked, &l.Said,
			database.ScanTime(&l.CreatedAt), database.ScanTime(&l.ExpiresAt))
		return l, err
	}
	return database.All(ctx, q, title, `SELECT id, model, asked, said, created_at, expires_at FROM generate_log
		WHERE user_id = $1 AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4`,
		userID, before, database.Time(now), limit)
}

// DeleteExpired deletes entries that have expired, so many at most, and returns how many.
func DeleteExpired(ctx context.Context, tx *database.Tx, now time.Time, limit int) (int, error) {
	r, err := tx.Exec(ctx, `DELETE FROM generate_log WHERE id IN (
		SELECT id FROM generate_log WHERE expires_at <= $1 LIMIT $2)`, database.Time(now), limit)
	return int(r.RowsAffected), err
}
