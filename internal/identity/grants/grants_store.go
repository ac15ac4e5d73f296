package grants

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"
	"unique"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

const grantColumns = `id, kind, state, reason, code_hash, service, COALESCE(client_id, ''), COALESCE(user_id, 0),
	COALESCE(team_id, 0), scopes, redirect_uri, challenge, family, interval_ms, created_at, expires_at,
	asked, nonce, signed_in_at`

func scanGrant(s database.Scanner) (g Grant, err error) {
	var kind, state, scopes, asked string
	var interval int64
	err = s.Scan(&g.ID, &kind, &state, &g.reason, &g.codeHash, &g.Service, &g.ClientID, &g.UserID, &g.TeamID, &scopes,
		&g.RedirectURI, &g.challenge, &g.family, &interval,
		database.ScanTime(&g.CreatedAt), database.ScanTime(&g.ExpiresAt), &asked,
		&g.nonce, database.ScanNullTime(&g.signedInAt))
	g.Kind, g.State, g.Scopes = Kind(kind), State(state), strings.Fields(scopes)
	g.Asked = strings.Fields(asked)
	g.Interval = time.Duration(interval) * time.Millisecond
	return g, err
}

func insertGrant(ctx context.Context, tx *database.Tx, g Grant) (int64, error) {
	var userHash any
	if g.userHash != nil {
		userHash = g.userHash
	}
	id, err := singlerow.Insert(ctx, tx, "id", `INSERT INTO identity_grants
		(kind, state, reason, code_hash, user_code_hash, service, client_id, user_id, team_id, scopes,
		 redirect_uri, challenge, family, interval_ms, created_at, expires_at, asked, nonce, signed_in_at)
		VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, ''), NULLIF(CAST($8 AS BIGINT), 0), NULLIF(CAST($9 AS BIGINT), 0),
		 $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
		string(g.Kind), string(g.State), g.reason, g.codeHash, userHash, g.Service, g.ClientID, g.UserID, g.TeamID,
		strings.Join(g.Scopes, " "), g.RedirectURI, g.challenge, g.family, g.Interval.Milliseconds(),
		database.Time(g.CreatedAt), database.Time(g.ExpiresAt), strings.Join(g.Asked, " "),
		g.nonce, database.NullTime(g.signedInAt))
	return id, orMissing(err, "client, user or team of", "grant")
}

func updateGrant(ctx context.Context, q database.Querier, g Grant) error {
	_, err := q.Exec(ctx, `UPDATE identity_grants SET state = $1, reason = $2, user_id = NULLIF(CAST($3 AS BIGINT), 0)
		WHERE id = $4`, string(g.State), g.reason, g.UserID, g.ID)
	return err
}

// claimGrant makes an approved grant a claimed one, and counts it: a revocation may have come first.
func claimGrant(ctx context.Context, q database.Querier, id int64) (int64, error) {
	r, err := q.Exec(ctx, `UPDATE identity_grants SET state = $1 WHERE id = $2 AND state = $3`,
		string(Claimed), id, string(Approved))
	return r.RowsAffected, err
}

// denyApproved ends what a user has allowed a client and it has not redeemed yet.
func denyApproved(ctx context.Context, q database.Querier, clientID string, userID int64) error {
	_, err := q.Exec(ctx, `UPDATE identity_grants SET state = $1 WHERE client_id = $2 AND user_id = $3 AND state = $4`,
		string(Denied), clientID, userID, string(Approved))
	return err
}

func grantByID(ctx context.Context, q database.Querier, id int64) (Grant, error) {
	return grantWhere(ctx, q, `id = $1`, id)
}

func grantByCode(ctx context.Context, q database.Querier, hash []byte) (Grant, error) {
	return grantWhere(ctx, q, `code_hash = $1`, hash)
}

// polledByCode reads what a poll has to know of a grant. Many are kept, so texts that
// many have are kept once.
func polledByCode(ctx context.Context, q database.Querier, hash [sha256.Size]byte) (polled, error) {
	return database.One(ctx, q, func(s database.Scanner) (p polled, err error) {
		var kind, state, reason, service, client string
		var interval int64
		err = s.Scan(&p.id, &kind, &state, &reason, &service, &client, &interval, database.ScanTime(&p.expires))
		p.kind, p.state = Kind(unique.Make(kind).Value()), State(unique.Make(state).Value())
		p.reason, p.service, p.client = unique.Make(reason).Value(), unique.Make(service).Value(), unique.Make(client).Value()
		p.interval = time.Duration(interval) * time.Millisecond
		return p, err
	}, `SELECT id, kind, state, reason, service, COALESCE(client_id, ''), interval_ms, expires_at
		FROM identity_grants WHERE code_hash = $1`, hash[:])
}

func grantByUserCode(ctx context.Context, q database.Querier, hash []byte) (Grant, error) {
	return grantWhere(ctx, q, `user_code_hash = $1`, hash)
}

func grantWhere(ctx context.Context, q database.Querier, condition string, value any) (Grant, error) {
	return database.One(ctx, q, scanGrant, `SELECT `+grantColumns+` FROM identity_grants WHERE `+condition, value)
}

// pendingDevices lists the device codes that wait, oldest first.
func pendingDevices(ctx context.Context, q database.Querier, now time.Time, limit int) ([]Grant, error) {
	return database.All(ctx, q, scanGrant, `SELECT `+grantColumns+` FROM identity_grants
		WHERE expires_at > $1 AND kind = 'device' AND state = 'pending' ORDER BY expires_at, id LIMIT $2`,
		database.Time(now), limit)
}

func deleteGrants(ctx context.Context, q database.Querier, before time.Time, limit int64) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM identity_grants WHERE id IN
		(SELECT id FROM identity_grants WHERE expires_at < $1 LIMIT $2)`, database.Time(before), limit)
	return r.RowsAffected, err
}
