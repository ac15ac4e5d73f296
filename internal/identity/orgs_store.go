package identity

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

const orgColumns = `o.id, o.name, o.enterprise, o.created_at`

func orgFields(o *Org) []any {
	return []any{&o.ID, &o.Name, &o.Enterprise, database.ScanTime(&o.CreatedAt)}
}

func scanOrg(s database.Scanner) (o Org, err error) { return o, s.Scan(orgFields(&o)...) }

func insertOrg(ctx context.Context, tx *database.Tx, o Org) (int64, error) {
	if err := claimName(ctx, tx, o.Name, "org"); err != nil {
		return 0, err
	}
	return singlerow.Insert(ctx, tx, "id", `INSERT INTO identity_orgs (name, folded_name, enterprise, created_at)
		VALUES ($1, $2, $3, $4)`,
		o.Name, Fold(o.Name), o.Enterprise, database.Time(o.CreatedAt))
}

func orgByID(ctx context.Context, q database.Querier, id int64) (Org, error) {
	return database.One(ctx, q, scanOrg, `SELECT `+orgColumns+` FROM identity_orgs o WHERE o.id = $1`, id)
}

func orgByName(ctx context.Context, q database.Querier, name string) (Org, error) {
	return database.One(ctx, q, scanOrg, `SELECT `+orgColumns+` FROM identity_orgs o WHERE o.folded_name = $1`, Fold(name))
}

func orgsAfter(ctx context.Context, q database.Querier, folded string, limit int) ([]Org, error) {
	return database.All(ctx, q, scanOrg, `SELECT `+orgColumns+` FROM identity_orgs o
		WHERE o.folded_name > $1 ORDER BY o.folded_name LIMIT $2`, folded, noLimit(limit))
}

func updateOrg(ctx context.Context, q database.Querier, id int64, enterprise bool) (int64, error) {
	r, err := q.Exec(ctx, `UPDATE identity_orgs SET enterprise = $1 WHERE id = $2`, enterprise, id)
	return r.RowsAffected, err
}

func upsertOrgMember(ctx context.Context, q database.Querier, orgID, userID int64, role OrgRole) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_org_members (org_id, user_id, role) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, user_id) DO UPDATE SET role = excluded.role`, orgID, userID, string(role))
	return orMissing(err, "organization", strconv.FormatInt(orgID, 10))
}

func deleteOrgMember(ctx context.Context, q database.Querier, orgID, userID int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_org_members WHERE org_id = $1 AND user_id = $2`, orgID, userID)
	return r.RowsAffected, err
}

func scanOrgMembership(s database.Scanner) (m OrgMembership, err error) {
	var role string
	err = s.Scan(append(orgFields(&m.Org), &m.UserID, &m.UserName, &role)...)
	m.Role = OrgRole(role)
	return m, err
}

const orgMembershipFrom = `SELECT ` + orgColumns + `, u.id, u.name, m.role FROM identity_org_members m
	JOIN identity_orgs o ON o.id = m.org_id JOIN identity_users u ON u.id = m.user_id `

func orgMembers(ctx context.Context, q database.Querier, orgID int64) ([]OrgMembership, error) {
	return database.All(ctx, q, scanOrgMembership, orgMembershipFrom+`WHERE m.org_id = $1 ORDER BY m.user_id`, orgID)
}

func orgsOf(ctx context.Context, q database.Querier, ids []int64) ([]OrgMembership, error) {
	in, args := database.In(1, ids)
	return database.All(ctx, q, scanOrgMembership, orgMembershipFrom+`WHERE m.user_id IN `+in+` ORDER BY m.org_id`, args...)
}

func orgRole(ctx context.Context, q database.Querier, orgID, userID int64) (OrgRole, error) {
	var role string
	err := q.QueryRow(ctx, `SELECT role FROM identity_org_members WHERE org_id = $1 AND user_id = $2`,
		orgID, userID).Scan(&role)
	return OrgRole(role), err
}

func insertApproval(ctx context.Context, q database.Querier, orgID int64, clientID string) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_org_clients (org_id, client_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		orgID, clientID)
	return orMissing(err, "organization", strconv.FormatInt(orgID, 10))
}

func deleteApproval(ctx context.Context, q database.Querier, orgID int64, clientID string) error {
	_, err := q.Exec(ctx, `DELETE FROM identity_org_clients WHERE org_id = $1 AND client_id = $2`, orgID, clientID)
	return err
}
