package forge

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

func insertInstalled(ctx context.Context, tx *database.Tx, clientID string, orgID, id int64) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO forge_installations (client_id, org_id, repository_id) VALUES ($1, $2, $3)
		ON CONFLICT (client_id, org_id, repository_id) DO NOTHING`, clientID, orgID, id)
	return err
}

func clearInstalled(ctx context.Context, tx *database.Tx, clientID string, orgID int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_installations WHERE client_id = $1 AND org_id = $2`, clientID, orgID)
	return err
}

// countInstalled is how many repositories were chosen for an app, and how many
// of them are still there.
func countInstalled(
	ctx context.Context, q database.Querier, clientID string, orgID int64,
) (chosen, present int64, err error) {
	err = q.QueryRow(ctx, `
		SELECT COUNT(*), COUNT(r.id) FROM forge_installations i LEFT JOIN forge_repositories r ON r.id = i.repository_id
		WHERE i.client_id = $1 AND i.org_id = $2`, clientID, orgID).Scan(&chosen, &present)
	return chosen, present, err
}

// installationCovers reports whether the app may use a repository of the
// organization: none chosen means all.
func installationCovers(ctx context.Context, q database.Querier, clientID string, orgID, id int64) (bool, error) {
	var chosen, this int64
	err := q.QueryRow(ctx, `
		SELECT COUNT(*), COUNT(CASE WHEN repository_id = $3 THEN 1 END) FROM forge_installations
		WHERE client_id = $1 AND org_id = $2`, clientID, orgID, id).Scan(&chosen, &this)
	return err == nil && (chosen == 0 || this > 0), err
}
