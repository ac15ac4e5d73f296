package forge

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const installationColumns = `id, client_id, owner_kind, owner_id, selected, created_at, updated_at`

func scanInstallation(s database.Scanner) (in Installation, err error) {
	var kind string
	err = s.Scan(&in.ID, &in.ClientID, &kind, &in.Owner.ID, &in.Selected,
		database.ScanTime(&in.CreatedAt), database.ScanTime(&in.UpdatedAt))
	in.Owner.Kind = OwnerKind(kind)
	return in, err
}

// upsertInstallation is the number of the installation and when it was made.
func upsertInstallation(
	ctx context.Context, tx *database.Tx, in Installation,
) (id int64, created time.Time, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO forge_app_installations (client_id, owner_kind, owner_id, selected, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (client_id, owner_kind, owner_id)
		DO UPDATE SET selected = excluded.selected, updated_at = excluded.updated_at RETURNING id, created_at`,
		in.ClientID, string(in.Owner.Kind), in.Owner.ID, in.Selected, database.Time(in.CreatedAt),
		database.Time(in.UpdatedAt)).Scan(&id, database.ScanTime(&created))
	return id, created, err
}

func replaceInstalled(ctx context.Context, tx *database.Tx, installationID int64, repositories []int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_installed_repositories WHERE installation_id = $1`, installationID)
	for _, id := range repositories {
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO forge_installed_repositories (installation_id, repository_id) VALUES ($1, $2)
			ON CONFLICT (installation_id, repository_id) DO NOTHING`, installationID, id)
	}
	return err
}

func deleteInstallation(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM forge_app_installations WHERE id = $1`, id)
	return err
}

func installationByID(ctx context.Context, q database.Querier, id int64) (Installation, error) {
	return database.One(ctx, q, scanInstallation,
		`SELECT `+installationColumns+` FROM forge_app_installations WHERE id = $1`, id)
}

func installationOn(
	ctx context.Context, q database.Querier, clientID string, kind OwnerKind, ownerID int64,
) (Installation, error) {
	return database.One(ctx, q, scanInstallation, `SELECT `+installationColumns+` FROM forge_app_installations
		WHERE client_id = $1 AND owner_kind = $2 AND owner_id = $3`, clientID, string(kind), ownerID)
}

func installationsOf(
	ctx context.Context, q database.Querier, clientID string, limit int, offset int64,
) (list []Installation, total int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_app_installations WHERE client_id = $1`, clientID).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	list, err = database.All(ctx, q, scanInstallation, `SELECT `+installationColumns+` FROM forge_app_installations
		WHERE client_id = $1 ORDER BY id LIMIT $2 OFFSET $3`, clientID, limit, offset)
	return list, total, err
}

func isInstalled(ctx context.Context, q database.Querier, installationID, repositoryID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_installed_repositories
		WHERE installation_id = $1 AND repository_id = $2`, installationID, repositoryID).Scan(&n)
	return n > 0, err
}

func insertTokenRepository(
	ctx context.Context, tx *database.Tx, tokenID, repositoryID int64, expires time.Time,
) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO forge_token_repositories (token_id, repository_id, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (token_id, repository_id) DO NOTHING`, tokenID, repositoryID, database.Time(expires))
	return err
}

func tokenIsLimited(ctx context.Context, q database.Querier, tokenID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, `SELECT COUNT(*) FROM forge_token_repositories WHERE token_id = $1`, tokenID).Scan(&n)
	return n > 0, err
}

// tokenCovers reports whether a token is for a repository: one that is not limited is
// for all.
func tokenCovers(ctx context.Context, q database.Querier, tokenID, repositoryID int64) (bool, error) {
	var all, this int64
	err := q.QueryRow(ctx, `
		SELECT COUNT(*), COUNT(CASE WHEN repository_id = $2 THEN 1 END) FROM forge_token_repositories
		WHERE token_id = $1`, tokenID, repositoryID).Scan(&all, &this)
	return err == nil && (all == 0 || this > 0), err
}

// deleteTokenRepositories forgets about tokens that expired.
func deleteTokenRepositories(ctx context.Context, q database.Querier, now time.Time) error {
	_, err := q.Exec(ctx, `DELETE FROM forge_token_repositories WHERE expires_at < $1`, database.Time(now))
	return err
}
