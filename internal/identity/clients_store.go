package identity

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

const clientColumns = `id, secret_hash, name, type, redirect_uris, scopes, COALESCE(org_id, 0), internal,
	COALESCE(owner_id, 0), COALESCE(principal_id, 0), created_at`

func scanClient(s database.Scanner) (c Client, err error) {
	var kind, redirects, scopes string
	err = s.Scan(&c.ID, &c.secretHash, &c.Name, &kind, &redirects, &scopes, &c.OrgID, &c.Internal,
		&c.OwnerID, &c.PrincipalID, database.ScanTime(&c.CreatedAt))
	c.Type, c.Scopes = ClientType(kind), strings.Fields(scopes)
	if redirects != "" {
		c.RedirectURIs = strings.Split(redirects, "\n")
	}
	return c, err
}

// insertClient keeps the redirect addresses one a line; redirects refuses
// control characters, because url.Parse does.
func insertClient(ctx context.Context, q database.Querier, c Client) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_clients
		(id, secret_hash, name, type, redirect_uris, scopes, org_id, internal, owner_id, principal_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		c.ID, c.secretHash, c.Name, string(c.Type), strings.Join(c.RedirectURIs, "\n"), strings.Join(c.Scopes, " "),
		orNull(c.OrgID), c.Internal, orNull(c.OwnerID), orNull(c.PrincipalID), database.Time(c.CreatedAt))
	return orMissing(err, "organization or owner of client", c.Name)
}

func clientByID(ctx context.Context, q database.Querier, id string) (Client, error) {
	return database.One(ctx, q, scanClient, `SELECT `+clientColumns+` FROM identity_clients WHERE id = $1`, id)
}

func clientsOf(ctx context.Context, q database.Querier, ownerID int64) ([]Client, error) {
	return database.All(ctx, q, scanClient, `SELECT `+clientColumns+` FROM identity_clients
		WHERE CAST($1 AS BIGINT) = 0 OR owner_id = $1 ORDER BY created_at, id`, ownerID)
}

func clientsOfOrg(ctx context.Context, q database.Querier, orgID int64) ([]Client, error) {
	return database.All(ctx, q, scanClient, `SELECT `+clientColumns+` FROM identity_clients
		WHERE org_id = $1 ORDER BY created_at, id`, orgID)
}

func clientsNamed(ctx context.Context, q database.Querier, name string) ([]Client, error) {
	return database.All(ctx, q, scanClient, `SELECT `+clientColumns+` FROM identity_clients
		WHERE name = $1 ORDER BY created_at, id`, name)
}

// clientsAfter reads on in the primary key.
func clientsAfter(ctx context.Context, q database.Querier, ownerID int64, after string, limit int) ([]Client, error) {
	return database.All(ctx, q, scanClient, `SELECT `+clientColumns+` FROM identity_clients
		WHERE id > $1 AND (CAST($2 AS BIGINT) = 0 OR owner_id = $2) ORDER BY id LIMIT $3`, after, ownerID, noLimit(limit))
}

func updateClient(ctx context.Context, q database.Querier, c Client) error {
	_, err := q.Exec(ctx, `UPDATE identity_clients SET name = $1, redirect_uris = $2, scopes = $3, internal = $4
		WHERE id = $5`, c.Name, strings.Join(c.RedirectURIs, "\n"), strings.Join(c.Scopes, " "), c.Internal, c.ID)
	return err
}

func updateClientSecret(ctx context.Context, q database.Querier, id string, hash []byte) (int64, error) {
	r, err := q.Exec(ctx, `UPDATE identity_clients SET secret_hash = $1 WHERE id = $2`, hash, id)
	return r.RowsAffected, err
}

func deleteClient(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_clients WHERE id = $1`, id)
	return err
}
