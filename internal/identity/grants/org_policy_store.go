package grants

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// clientOpenTo reports whether the user may use the client: it is not internal, or
// the user is a member of its organization.
func clientOpenTo(ctx context.Context, q database.Querier, clientID string, userID int64) (bool, error) {
	var open bool
	err := q.QueryRow(ctx, `SELECT NOT c.internal OR EXISTS (
			SELECT 1 FROM identity_org_members m WHERE m.org_id = c.org_id AND m.user_id = $1)
		FROM identity_clients c WHERE c.id = $2`, userID, clientID).Scan(&open)
	return open, err
}

// userDisabled reports whether the user may not act.
func userDisabled(ctx context.Context, q database.Querier, userID int64) (disabled bool, err error) {
	err = q.QueryRow(ctx, `SELECT disabled FROM identity_users WHERE id = $1`, userID).Scan(&disabled)
	return disabled, err
}

func forbiddenScopes(ctx context.Context, q database.Querier, userID int64) ([]string, error) {
	return database.All(ctx, q, scanText, `SELECT p.scope FROM identity_org_policies p
		JOIN identity_org_members m ON m.org_id = p.org_id WHERE m.user_id = $1`, userID)
}

func orgForbiddenScopes(ctx context.Context, q database.Querier, orgID int64) ([]string, error) {
	return database.All(ctx, q, scanText, `SELECT scope FROM identity_org_policies WHERE org_id = $1 ORDER BY scope`, orgID)
}

func orgApprovedClients(ctx context.Context, q database.Querier, orgID int64) ([]string, error) {
	return database.All(ctx, q, scanText,
		`SELECT client_id FROM identity_org_clients WHERE org_id = $1 ORDER BY client_id`, orgID)
}

func scanText(s database.Scanner) (text string, err error) {
	err = s.Scan(&text)
	return text, err
}

func insertForbiddenScope(ctx context.Context, q database.Querier, orgID int64, scope string) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_org_policies (org_id, scope) VALUES ($1, $2)
		ON CONFLICT (org_id, scope) DO NOTHING`, orgID, scope)
	return orMissing(err, "organization of", scope)
}

func deleteForbiddenScope(ctx context.Context, q database.Querier, orgID int64, scope string) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_org_policies WHERE org_id = $1 AND scope = $2`, orgID, scope)
	return err
}

// orMissing names what a foreign key did not find.
func orMissing(err error, what, name string) error {
	if errors.Is(err, database.ErrForeignKey) {
		return &identity.NotFoundError{What: what, Name: name}
	}
	return err
}
