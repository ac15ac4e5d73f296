package invitations

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

const columns = `team_id, email, user_id, created_at, expires_at`

func scan(s database.Scanner) (v Invitation, err error) {
	err = s.Scan(&v.TeamID, &v.Email, &v.UserID, database.ScanTime(&v.CreatedAt), database.ScanTime(&v.ExpiresAt))
	return v, err
}

func list(
	ctx context.Context, q database.Querier, teamID int64, now time.Time, p page.Numbers,
) ([]Invitation, int64, error) {
	return page.List(ctx, q, scan, p, `SELECT `+columns,
		`FROM articles_invitations WHERE team_id = $1 AND expires_at > $2`, `ORDER BY created_at DESC, email`,
		teamID, database.Time(now))
}

func byEmail(ctx context.Context, q database.Querier, teamID int64, email string, now time.Time) (Invitation, error) {
	return database.One(ctx, q, scan, `SELECT `+columns+` FROM articles_invitations
		WHERE team_id = $1 AND email = $2 AND expires_at > $3`, teamID, email, database.Time(now))
}

func upsert(ctx context.Context, q database.Querier, v Invitation) error {
	_, err := q.Exec(ctx, `INSERT INTO articles_invitations (`+columns+`) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (team_id, email) DO UPDATE SET user_id = $3, created_at = $4, expires_at = $5`,
		v.TeamID, v.Email, v.UserID, database.Time(v.CreatedAt), database.Time(v.ExpiresAt))
	return err
}

// deleteExpired also counts what is left.
func deleteExpired(ctx context.Context, q database.Querier, teamID int64, now time.Time) (open int64, err error) {
	_, err = q.Exec(ctx, `DELETE FROM articles_invitations WHERE team_id = $1 AND expires_at <= $2`,
		teamID, database.Time(now))
	if err != nil {
		return 0, err
	}
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_invitations WHERE team_id = $1`, teamID).Scan(&open)
	return open, err
}

// remove deletes an open invitation; one with a time is that one alone.
func remove(ctx context.Context, q database.Querier, v Invitation, now time.Time) error {
	statement := `DELETE FROM articles_invitations WHERE team_id = $1 AND email = $2 AND expires_at > $3`
	args := []any{v.TeamID, v.Email, database.Time(now)}
	if !v.CreatedAt.IsZero() {
		statement, args = statement+` AND created_at = $4`, append(args, database.Time(v.CreatedAt))
	}
	r, err := q.Exec(ctx, statement, args...)
	if err == nil && r.RowsAffected == 0 {
		return refusal.Missing()
	}
	return err
}
