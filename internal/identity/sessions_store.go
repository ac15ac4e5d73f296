package identity

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

const sessionColumns = `id, user_id, address, agent, created_at, expires_at`

func scanSession(s database.Scanner) (v Session, err error) {
	err = s.Scan(&v.ID, &v.UserID, &v.Address, &v.Agent, database.ScanTime(&v.CreatedAt), database.ScanTime(&v.ExpiresAt))
	return v, err
}

func insertSession(ctx context.Context, tx *database.Tx, s Session, hash []byte) (int64, error) {
	id, err := singlerow.Insert(ctx, tx, "id", `INSERT INTO identity_sessions
		(hash, user_id, address, agent, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		hash, s.UserID, s.Address, s.Agent, database.Time(s.CreatedAt), database.Time(s.ExpiresAt))
	return id, orMissing(err, "user of", "session")
}

func sessionByHash(ctx context.Context, q database.Querier, hash []byte) (Session, error) {
	return database.One(ctx, q, scanSession, `SELECT `+sessionColumns+` FROM identity_sessions WHERE hash = $1`, hash)
}

func sessionsOf(ctx context.Context, q database.Querier, userID int64, now time.Time) ([]Session, error) {
	return database.All(ctx, q, scanSession, `SELECT `+sessionColumns+` FROM identity_sessions
		WHERE user_id = $1 AND expires_at > $2 ORDER BY id DESC`, userID, database.Time(now))
}

func deleteSessionByHash(ctx context.Context, q database.Querier, hash []byte) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_sessions WHERE hash = $1`, hash)
	return err
}

func deleteSession(ctx context.Context, q database.Querier, userID, id int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_sessions WHERE user_id = $1 AND id = $2`, userID, id)
	return r.RowsAffected, err
}

func deleteSessions(ctx context.Context, q database.Querier, userID, except int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_sessions WHERE user_id = $1 AND id <> $2`, userID, except)
	return r.RowsAffected, err
}

func deleteExpiredSessions(ctx context.Context, q database.Querier, before time.Time, limit int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_sessions WHERE id IN
		(SELECT id FROM identity_sessions WHERE expires_at < $1 LIMIT $2)`, database.Time(before), limit)
	return r.RowsAffected, err
}
