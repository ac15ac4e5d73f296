package project

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

func emailPrefs(ctx context.Context, q database.Querier, userID int64) (EmailPrefs, error) {
	return database.One(ctx, q, func(s database.Scanner) (p EmailPrefs, err error) {
		err = s.Scan(&p)
		return p, err
	}, `SELECT email_prefs FROM pipelines_preferences WHERE user_id = $1`, userID)
}

func setEmailPrefs(ctx context.Context, tx *database.Tx, userID int64, p EmailPrefs) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO pipelines_preferences (user_id, email_prefs) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET email_prefs = excluded.email_prefs`, userID, string(p))
	return err
}
