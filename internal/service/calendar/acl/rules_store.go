package acl

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

const columns = `scope_type, scope_value, role, seq, updated`

func scan(s database.Scanner) (r Rule, err error) {
	err = s.Scan(&r.Scope, &r.Value, &r.Role, &r.Seq, database.ScanTime(&r.Updated))
	return r, err
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// reader is a user, by address, at a calendar.
type reader struct{ calendar, address string }

// forReader are the rules that may concern a user.
func forReader(ctx context.Context, q database.Querier, r reader) ([]Rule, error) {
	_, domain, _ := strings.Cut(r.address, "@")
	return database.All(ctx, q, scan, `
		SELECT `+columns+` FROM calendar_acl
		WHERE calendar_id = $1 AND role <> 'none' AND (scope_type = 'default' OR scope_type = 'group'
			OR (scope_type = 'user' AND scope_value = $2) OR (scope_type = 'domain' AND scope_value = $3))`,
		r.calendar, r.address, domain)
}

// ByScope finds the rule of a scope, also one that was taken back.
func ByScope(
	ctx context.Context, q database.Querier, calendar string, scope permission.ScopeType, value string,
) (Rule, error) {
	r, err := database.One(ctx, q, scan, `
		SELECT `+columns+` FROM calendar_acl WHERE calendar_id = $1 AND scope_type = $2 AND scope_value = $3`,
		calendar, string(scope), value)
	return r, refusal.OrNotFound(err)
}

// List lists the rules of a calendar after a change, with those that were taken back
// if deleted is true.
func List(
	ctx context.Context, q database.Querier, calendar string, seq int64, deleted bool, limit int,
) ([]Rule, error) {
	return database.All(ctx, q, scan, `
		SELECT `+columns+` FROM calendar_acl
		WHERE calendar_id = $1 AND seq > $2 AND ($3 OR role <> 'none') ORDER BY seq
		LIMIT $4`, calendar, seq, deleted, limit)
}

func count(ctx context.Context, q database.Querier, calendar string) (int64, error) {
	return database.One(ctx, q, scanNumber, `SELECT COUNT(*) FROM calendar_acl WHERE calendar_id = $1`, calendar)
}

// Put numbers a rule by the changes of its calendar's rules and writes it.
func Put(ctx context.Context, tx *database.Tx, calendar string, r Rule) error {
	seq, err := database.One(ctx, tx, scanNumber, `
		UPDATE calendar_calendars SET acl_seq = acl_seq + 1 WHERE id = $1 RETURNING acl_seq`, calendar)
	if err != nil {
		return refusal.OrNotFound(err)
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO calendar_acl (calendar_id, scope_type, scope_value, role, seq, updated)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (calendar_id, scope_type, scope_value) DO UPDATE
		SET role = excluded.role, seq = excluded.seq, updated = excluded.updated`,
		calendar, string(r.Scope), r.Value, string(r.Role), seq, database.Time(r.Updated))
	return err
}
