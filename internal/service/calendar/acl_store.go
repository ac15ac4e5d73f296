package calendar

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

const ruleColumns = `scope_type, scope_value, role, seq, updated`

func scanRule(s database.Scanner) (r ruleRow, err error) {
	err = s.Scan(&r.scope, &r.value, &r.role, &r.seq, database.ScanTime(&r.updated))
	return r, err
}

// ruleKey names a calendar and a user's address with its domain.
type ruleKey struct{ calendar, address, domain string }

// rulesForAddress are the rules that may concern a user with the address.
func rulesForAddress(ctx context.Context, q database.Querier, k ruleKey) ([]ruleRow, error) {
	return database.All(ctx, q, scanRule, `
		SELECT `+ruleColumns+` FROM calendar_acl
		WHERE calendar_id = $1 AND role <> 'none' AND (scope_type = 'default' OR scope_type = 'group'
			OR (scope_type = 'user' AND scope_value = $2) OR (scope_type = 'domain' AND scope_value = $3))`,
		k.calendar, k.address, k.domain)
}

func ruleByScope(
	ctx context.Context, q database.Querier, calendar string, scope ScopeType, value string,
) (ruleRow, error) {
	r, err := database.One(ctx, q, scanRule, `
		SELECT `+ruleColumns+` FROM calendar_acl WHERE calendar_id = $1 AND scope_type = $2 AND scope_value = $3`,
		calendar, string(scope), value)
	return r, orNotFound(err)
}

func listRules(
	ctx context.Context, q database.Querier, calendar string, seq int64, deleted bool, limit int,
) ([]ruleRow, error) {
	return database.All(ctx, q, scanRule, `
		SELECT `+ruleColumns+` FROM calendar_acl
		WHERE calendar_id = $1 AND seq > $2 AND ($3 OR role <> 'none') ORDER BY seq
		LIMIT $4`, calendar, seq, deleted, limit)
}

func countRules(ctx context.Context, q database.Querier, calendar string) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT COUNT(*) FROM calendar_acl WHERE calendar_id = $1`, calendar)
}

func upsertRule(ctx context.Context, tx *database.Tx, calendar string, r ruleRow) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO calendar_acl (calendar_id, scope_type, scope_value, role, seq, updated)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (calendar_id, scope_type, scope_value) DO UPDATE
		SET role = excluded.role, seq = excluded.seq, updated = excluded.updated`,
		calendar, string(r.scope), r.value, string(r.role), r.seq, database.Time(r.updated))
	return err
}
