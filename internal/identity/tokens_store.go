package identity

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

const credentialColumns = `c.id, c.hash, c.kind, c.services, c.scopes,
	COALESCE(c.user_id, 0), COALESCE(c.client_id, ''), COALESCE(c.org_id, 0), COALESCE(c.team_id, 0),
	c.repo, c.note, c.family, c.operator, c.asked, COALESCE(c.account_id, 0),
	c.created_at, c.expires_at, c.revoked_at, c.last_used_at`

// scanCredential reads credentialColumns, and what follows them into more.
func scanCredential(s database.Scanner, more ...any) (t Token, err error) {
	var kind, services, scopes, asked string
	err = s.Scan(append([]any{
		&t.ID, &t.hash, &kind, &services, &scopes, &t.UserID, &t.ClientID, &t.OrgID, &t.TeamID,
		&t.Repo, &t.Note, &t.Family, &t.operator, &asked, &t.AccountID,
		database.ScanTime(&t.CreatedAt), database.ScanNullTime(&t.ExpiresAt),
		database.ScanNullTime(&t.RevokedAt), database.ScanNullTime(&t.LastUsedAt),
	}, more...)...)
	t.Kind, t.Services, t.Scopes = Kind(kind), strings.Fields(services), strings.Fields(scopes)
	t.Asked = strings.Fields(asked)
	return t, err
}

func scanToken(s database.Scanner) (Token, error) { return scanCredential(s) }

func insertCredential(ctx context.Context, tx *database.Tx, t Token) (int64, error) {
	id, err := singlerow.Insert(ctx, tx, "id", `INSERT INTO identity_credentials
		(hash, kind, services, scopes, user_id, client_id, org_id, team_id, repo, note, family, operator,
		 created_at, expires_at, asked, account_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		t.hash, string(t.Kind), strings.Join(t.Services, " "), strings.Join(t.Scopes, " "),
		orNull(t.UserID), orNull(t.ClientID), orNull(t.OrgID), orNull(t.TeamID), t.Repo, t.Note, t.Family, t.operator,
		database.Time(t.CreatedAt), database.NullTime(t.ExpiresAt), strings.Join(t.Asked, " "), orNull(t.AccountID))
	return id, orMissing(err, "user, organization or team of", string(t.Kind))
}

func credentialByID(ctx context.Context, q database.Querier, id int64) (Token, error) {
	return database.One(ctx, q, scanToken, `SELECT `+credentialColumns+` FROM identity_credentials c WHERE c.id = $1`, id)
}

func credentialByHash(ctx context.Context, q database.Querier, hash []byte) (Token, error) {
	return database.One(ctx, q, scanToken,
		`SELECT `+credentialColumns+` FROM identity_credentials c WHERE c.hash = $1`, hash)
}

func credentialsOf(ctx context.Context, q database.Querier, userID int64, now time.Time) ([]Token, error) {
	return database.All(ctx, q, scanToken, `SELECT `+credentialColumns+` FROM identity_credentials c
		WHERE c.user_id = $1 AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > $2)
		ORDER BY c.id DESC`, userID, database.Time(now))
}

// credentialsBefore is a page of the users' credentials of some kinds, the newest first.
// Each kind is read from its own place in the index.
func credentialsBefore(
	ctx context.Context, q database.Querier, kinds []Kind, before int64, limit int, now time.Time,
) (list []Token, err error) {
	for _, kind := range kinds {
		some, err := database.All(ctx, q, scanToken, `SELECT `+credentialColumns+` FROM identity_credentials c
			WHERE c.kind = $1 AND c.id < $2 AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > $3)
				AND c.user_id IS NOT NULL
			ORDER BY c.id DESC LIMIT $4`, string(kind), before, database.Time(now), limit)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	slices.SortFunc(list, func(a, b Token) int { return cmp.Compare(b.ID, a.ID) })
	return list[:min(limit, len(list))], nil
}

// resolveSQL reads a credential with the facts about all that it names. A
// client counts as enterprise when its owner is, or when an enterprise
// organization of the user approved it.
const resolveSQL = `SELECT ` + credentialColumns + `,
	COALESCE(u.name, ''), COALESCE(u.admin, FALSE), COALESCE(u.disabled, au.disabled, FALSE),
	COALESCE(u.service_account, FALSE),
	COALESCE(k.type, ''),
	COALESCE(ko.enterprise, FALSE) OR EXISTS (
		SELECT 1 FROM identity_org_clients a
		JOIN identity_orgs e ON e.id = a.org_id AND e.enterprise
		JOIN identity_org_members m ON m.org_id = e.id AND m.user_id = c.user_id
		WHERE a.client_id = c.client_id),
	COALESCE(o.name, ''), COALESCE(o.enterprise, FALSE), COALESCE(t.name, '')
	FROM identity_credentials c
	LEFT JOIN identity_users u ON u.id = c.user_id
	LEFT JOIN identity_users au ON au.id = c.account_id
	LEFT JOIN identity_clients k ON k.id = c.client_id
	LEFT JOIN identity_orgs ko ON ko.id = k.org_id
	LEFT JOIN identity_orgs o ON o.id = c.org_id
	LEFT JOIN identity_teams t ON t.id = c.team_id
	WHERE c.hash = $1`

func resolveRow(ctx context.Context, q database.Querier, hash []byte) (resolved, error) {
	return database.One(ctx, q, func(s database.Scanner) (r resolved, err error) {
		var clientType string
		r.token, err = scanCredential(s, &r.userName, &r.admin, &r.disabled, &r.serviceAccount,
			&clientType, &r.clientEnterprise, &r.org, &r.orgEnterprise, &r.team)
		r.clientType = ClientType(clientType)
		return r, err
	}, resolveSQL, hash)
}

// Revocations return the hashes they ended, which the cache must forget.

func revokeByID(ctx context.Context, q database.Querier, id int64, now time.Time) ([]digest, error) {
	return database.All(ctx, q, scanHash, `UPDATE identity_credentials SET revoked_at = $1
		WHERE id = $2 AND revoked_at IS NULL RETURNING hash`, database.Time(now), id)
}

// revokeKey is revokeByID of a key that is alive. It returns the whole row and the name of
// its user, so that a key is replaced without a read before the write. The family that it gets is its replacement's
// too: who revokes the old key by its id ends what came of it.
func revokeKey(ctx context.Context, q database.Querier, id int64, now time.Time) (t Token, user string, err error) {
	t, err = database.One(ctx, q, func(s database.Scanner) (Token, error) { return scanCredential(s, &user) },
		`UPDATE identity_credentials SET revoked_at = $1,
			family = CASE WHEN family = '' THEN 'key/' || CAST(id AS TEXT) ELSE family END
		WHERE id = $2 AND kind IN ($3, $4) AND revoked_at IS NULL
		RETURNING id, hash, kind, services, scopes, COALESCE(user_id, 0), COALESCE(client_id, ''), COALESCE(org_id, 0),
			COALESCE(team_id, 0), repo, note, family, operator, asked, COALESCE(account_id, 0),
			created_at, expires_at, revoked_at, last_used_at,
			COALESCE((SELECT u.name FROM identity_users u WHERE u.id = user_id), '')`,
		database.Time(now), id, string(KindAPI), string(KindApplication))
	return t, user, err
}

func revokeFamily(ctx context.Context, q database.Querier, family string, now time.Time) ([]digest, error) {
	return database.All(ctx, q, scanHash, `UPDATE identity_credentials SET revoked_at = $1
		WHERE family = $2 AND family <> '' AND revoked_at IS NULL RETURNING hash`, database.Time(now), family)
}

// deleteOldAccess deletes all access tokens of a grant but the newest.
func deleteOldAccess(ctx context.Context, q database.Querier, family string, keep int) ([]digest, error) {
	return database.All(ctx, q, scanHash, `DELETE FROM identity_credentials
		WHERE family = $1 AND family <> '' AND kind = $2 AND id <= (
			SELECT id FROM identity_credentials WHERE family = $1 AND family <> '' AND kind = $2
			ORDER BY id DESC LIMIT 1 OFFSET $3)
		RETURNING hash`, family, string(KindAccess), keep)
}

func revokeInstallation(
	ctx context.Context, q database.Querier, clientID string, orgID, accountID int64, now time.Time,
) ([]digest, error) {
	return database.All(ctx, q, scanHash, `UPDATE identity_credentials SET revoked_at = $1
		WHERE client_id = $2 AND kind = $3 AND COALESCE(org_id, 0) = $4 AND COALESCE(account_id, 0) = $5
		AND revoked_at IS NULL RETURNING hash`,
		database.Time(now), clientID, string(KindInstallation), orgID, accountID)
}

// revokeTeamCredentials ends what a user has for a team, and what the user has allowed applications there and they have
// not redeemed yet.
func revokeTeamCredentials(ctx context.Context, q database.Querier, teamID, userID int64, now time.Time) error {
	_, err := q.Exec(ctx, `UPDATE identity_grants SET state = 'denied'
		WHERE team_id = $1 AND user_id = $2 AND state = 'approved'`, teamID, userID)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `UPDATE identity_credentials SET revoked_at = $1
		WHERE team_id = $2 AND user_id = $3 AND revoked_at IS NULL`, database.Time(now), teamID, userID)
	return err
}

func scanHash(s database.Scanner) (hash digest, err error) {
	var raw []byte
	err = s.Scan(&raw)
	copy(hash[:], raw)
	return hash, err
}

func updateLastUsed(ctx context.Context, q database.Querier, id int64, at time.Time) error {
	_, err := q.Exec(ctx, `UPDATE identity_credentials SET last_used_at = $1
		WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)`, database.Time(at), id)
	return err
}

func useCredential(ctx context.Context, q database.Querier, id int64, at time.Time) (int64, error) {
	r, err := q.Exec(ctx, `UPDATE identity_credentials SET last_used_at = $1
		WHERE id = $2 AND revoked_at IS NULL`, database.Time(at), id)
	return r.RowsAffected, err
}

func deleteDeadCredentials(ctx context.Context, q database.Querier, before time.Time, limit int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_credentials WHERE id IN
		(SELECT id FROM identity_credentials WHERE expires_at < $1 OR revoked_at < $1 LIMIT $2)`,
		database.Time(before), limit)
	return r.RowsAffected, err
}
