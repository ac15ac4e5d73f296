package discussions

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

func scanLabel(s database.Scanner) (l Label, err error) {
	err = s.Scan(&l.ID, &l.Name, &l.Color, &l.Description)
	return l, err
}

func labelsOf(ctx context.Context, q database.Querier, repoID int64) ([]Label, error) {
	return database.All(ctx, q, scanLabel,
		`SELECT id, name, color, description FROM events_labels WHERE repo_id = $1 ORDER BY folded_name`, repoID)
}

// labelRepo is the repository that a label is of.
func labelRepo(ctx context.Context, q database.Querier, id int64) (repoID int64, err error) {
	err = q.QueryRow(ctx, `SELECT repo_id FROM events_labels WHERE id = $1`, id).Scan(&repoID)
	return repoID, err
}

// putLabel writes a label; one of the same name stays as it is.
func putLabel(ctx context.Context, tx *database.Tx, repoID int64, l Label) (added bool, err error) {
	result, err := tx.Exec(ctx, `
		INSERT INTO events_labels (repo_id, name, folded_name, color, description) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (repo_id, folded_name) DO NOTHING`,
		repoID, l.Name, strings.ToLower(l.Name), l.Color, l.Description)
	return result.RowsAffected > 0, err
}

func updateLabel(ctx context.Context, tx *database.Tx, l Label) error {
	_, err := tx.Exec(ctx, `UPDATE events_labels SET color = $2, description = $3 WHERE id = $1`,
		l.ID, l.Color, l.Description)
	return err
}

func deleteLabel(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM events_labels WHERE id = $1`, id)
	return err
}
