package forge

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"time"

	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }

const repositoryColumns = `id, owner_kind, owner_id, owner_name, name, private, description, default_branch,
	network_id, parent_id, folder, created_at, updated_at, pushed_at`

func scanRepository(s database.Scanner) (r Repository, err error) {
	err = s.Scan(&r.ID, &r.Owner.Kind, &r.Owner.ID, &r.Owner.Name, &r.Name, &r.Private, &r.Description, &r.DefaultBranch,
		&r.NetworkID, &r.ParentID, &r.folder, database.ScanTime(&r.CreatedAt), database.ScanTime(&r.UpdatedAt),
		database.ScanNullTime(&r.PushedAt))
	return r, err
}

func repositoryByID(ctx context.Context, q database.Querier, id int64) (Repository, error) {
	return database.One(ctx, q, scanRepository, `SELECT `+repositoryColumns+` FROM forge_repositories WHERE id = $1`, id)
}

// The locks of a repository's row: one that transactions hold together, and one that excludes all others.
const (
	sharedLock = " FOR SHARE"
	ownLock    = " FOR UPDATE"
)

// lockedRepository is repositoryByID with a lock until the commit. SQLite has one writer and needs none.
func lockedRepository(ctx context.Context, tx *database.Tx, id int64, lock string) (Repository, error) {
	if tx.Engine() == database.SQLite {
		lock = ""
	}
	return database.One(ctx, tx, scanRepository,
		`SELECT `+repositoryColumns+` FROM forge_repositories WHERE id = $1`+lock, id)
}

func repositoryByName(ctx context.Context, q database.Querier, owner, name string) (Repository, error) {
	return database.One(ctx, q, scanRepository, `
		SELECT `+repositoryColumns+` FROM forge_repositories WHERE folded_owner = $1 AND folded_name = $2`, identity.Fold(owner), identity.Fold(name))
}

// repositoryByOldName reads a row in any case, one without a number where none has had the
// name: it takes as long to find that a repository is not there as to read one that the caller
// may not see.
func repositoryByOldName(ctx context.Context, q database.Querier, owner, name string) (Repository, error) {
	rows, err := database.All(ctx, q, scanRepository, `
		SELECT `+repositoryColumns+` FROM forge_repositories WHERE id =
			(SELECT repository_id FROM forge_redirects WHERE folded_owner = $1 AND folded_name = $2)
		UNION ALL SELECT 0, '', 0, '', '', TRUE, '', '', 0, 0, '',
			'2000-01-01T00:00:00.000000Z', '2000-01-01T00:00:00.000000Z', NULL`,
		identity.Fold(owner), identity.Fold(name))
	for _, r := range rows {
		if r.ID != 0 {
			return r, err
		}
	}
	return Repository{}, cmp.Or(err, database.ErrNotFound)
}

func repositoriesAfter(ctx context.Context, q database.Querier, id int64, limit int) ([]Repository, error) {
	return database.All(ctx, q, scanRepository, `
		SELECT `+repositoryColumns+` FROM forge_repositories WHERE id > $1 ORDER BY id LIMIT $2`, id, limit)
}

func repositoriesOf(ctx context.Context, q database.Querier, owner string) ([]Repository, error) {
	return database.All(ctx, q, scanRepository, `
		SELECT `+repositoryColumns+` FROM forge_repositories WHERE folded_owner = $1 ORDER BY folded_name`, identity.Fold(owner))
}

// insertRepository writes a new repository and frees its name from being an
// old one. A root is its own network.
func insertRepository(ctx context.Context, tx *database.Tx, r *Repository) error {
	if _, err := tx.Exec(ctx, `DELETE FROM forge_redirects WHERE folded_owner = $1 AND folded_name = $2`,
		identity.Fold(r.Owner.Name), identity.Fold(r.Name)); err != nil {
		return err
	}
	var err error
	r.ID, err = singlerow.Insert(ctx, tx, "id", `
		INSERT INTO forge_repositories (owner_kind, owner_id, owner_name, folded_owner, name, folded_name, private, description,
			default_branch, network_id, parent_id, folder, created_at, updated_at, pushed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		string(r.Owner.Kind), r.Owner.ID, r.Owner.Name, identity.Fold(r.Owner.Name), r.Name, identity.Fold(r.Name),
		r.Private, r.Description, r.DefaultBranch, r.NetworkID, r.ParentID, r.folder, database.Time(r.CreatedAt),
		database.Time(r.UpdatedAt), database.NullTime(r.PushedAt))
	if errors.Is(err, database.ErrUnique) {
		return refusal.Taken(r.FullName())
	}
	if err != nil || r.NetworkID != 0 {
		return err
	}
	r.NetworkID = r.ID
	_, err = tx.Exec(ctx, `UPDATE forge_repositories SET network_id = id WHERE id = $1`, r.ID)
	return err
}

func renameRepository(ctx context.Context, tx *database.Tx, r Repository, name string, at time.Time) error {
	if _, err := tx.Exec(ctx, `DELETE FROM forge_redirects WHERE folded_owner = $1 AND folded_name = $2`,
		identity.Fold(r.Owner.Name), identity.Fold(name)); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE forge_repositories SET name = $2, folded_name = $3, updated_at = $4 WHERE id = $1`,
		r.ID, name, identity.Fold(name), database.Time(at))
	if errors.Is(err, database.ErrUnique) {
		return refusal.Taken(r.Owner.Name + "/" + name)
	}
	if err != nil || identity.Fold(name) == identity.Fold(r.Name) {
		return err
	}
	return putRedirect(ctx, tx, r)
}

// maxRedirects is how many old names of repositories an owner has; the oldest give way to new ones. An owner who had
// more loses some with each rename.
const (
	maxRedirects  = 500
	redirectBatch = 100
)

// putRedirect keeps the name that a repository leaves.
func putRedirect(ctx context.Context, tx *database.Tx, r Repository) error {
	owner := identity.Fold(r.Owner.Name)
	_, err := tx.Exec(ctx, `
		INSERT INTO forge_redirects (folded_owner, folded_name, repository_id, number)
		SELECT $1, $2, $3, COALESCE(MAX(number), 0) + 1 FROM forge_redirects WHERE folded_owner = $1
		ON CONFLICT (folded_owner, folded_name) DO UPDATE
		SET repository_id = excluded.repository_id, number = excluded.number`, owner, identity.Fold(r.Name), r.ID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		DELETE FROM forge_redirects WHERE folded_owner = $1 AND folded_name IN (
			SELECT folded_name FROM forge_redirects WHERE folded_owner = $1
			ORDER BY number DESC, folded_name LIMIT $2 OFFSET $3)`, owner, redirectBatch, maxRedirects)
	return err
}

func updateRepository(ctx context.Context, tx *database.Tx, r Repository) error {
	_, err := tx.Exec(ctx, `
		UPDATE forge_repositories SET private = $2, description = $3, default_branch = $4, updated_at = $5, pushed_at = $6
		WHERE id = $1`,
		r.ID, r.Private, r.Description, r.DefaultBranch, database.Time(r.UpdatedAt), database.NullTime(r.PushedAt))
	return err
}

// deleteRepository removes the row and all that hangs on it. The oldest fork
// becomes the root of what is left of a network.
func deleteRepository(ctx context.Context, tx *database.Tx, r Repository) error {
	if _, err := tx.Exec(ctx, `DELETE FROM forge_repositories WHERE id = $1`, r.ID); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE forge_repositories SET parent_id = $2 WHERE parent_id = $1`, r.ID, r.ParentID); err != nil {
		return err
	}
	if r.NetworkID != r.ID {
		return nil
	}
	_, err := tx.Exec(ctx, `
		UPDATE forge_repositories SET network_id = (SELECT MIN(id) FROM forge_repositories WHERE network_id = $1)
		WHERE network_id = $1`, r.ID)
	return err
}

// usedFolders are the folders of all repositories.
func usedFolders(ctx context.Context, q database.Querier) (map[string]bool, error) {
	scan := func(row database.Scanner) (folder string, err error) { return folder, row.Scan(&folder) }
	list, err := database.All(ctx, q, scan, `SELECT folder FROM forge_repositories`)
	used := make(map[string]bool, len(list))
	for _, folder := range list {
		used[folder] = true
	}
	return used, err
}
