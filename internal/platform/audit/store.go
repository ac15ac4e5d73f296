package audit

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const columns = `id, happened_at, actor, credential, network, request, action, object, outcome, detail`

func scanEntry(s database.Scanner) (e Entry, err error) {
	err = s.Scan(&e.ID, database.ScanTime(&e.At), &e.Actor, &e.Credential, &e.Network, &e.Request, &e.Action, &e.Object,
		&e.Outcome, &e.Detail)
	return e, err
}

func insert(ctx context.Context, tx *database.Tx, now time.Time, e Entry) error {
	e = Complete(ctx, now, e)
	_, err := tx.Exec(ctx, `INSERT INTO audit_entries
		(happened_at, actor, folded_actor, credential, network, request, area, action, object, outcome, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		database.Time(e.At), e.Actor, strings.ToLower(e.Actor), e.Credential, e.Network, e.Request, Area(e.Action),
		e.Action, e.Object, string(e.Outcome), e.Detail)
	return err
}

// Filter chooses entries; a zero field chooses all.
type Filter struct {
	// Actor is a name without regard to case.
	Actor string
	// Action is a whole action, or the area alone.
	Action  string
	Outcome Outcome
	// Text is part of the object.
	Text string
	// Since and Until bound the time, Until excluded.
	Since, Until time.Time
	// After is the id of the last entry of the page before.
	After int64
	Limit int
}

const (
	defaultPage = 100
	maxPage     = 1000
)

// List shows entries, the newest first. ErrNotFound means that the entry to go on after
// is no longer there.
func List(ctx context.Context, q database.Querier, f Filter) ([]Entry, error) {
	last := Entry{ID: 1<<63 - 1, At: database.MaxTime()}
	if f.After != 0 {
		var err error
		if last, err = Get(ctx, q, f.After); err != nil {
			return nil, err
		}
	}
	if f.Limit <= 0 {
		f.Limit = defaultPage
	}
	where, args := f.conditions([]any{database.Time(last.At), last.ID, min(f.Limit, maxPage)})
	return database.All(ctx, q, scanEntry, `SELECT `+columns+` FROM audit_entries
		WHERE happened_at <= $1 AND (happened_at < $1 OR id < $2)`+where+`
		ORDER BY happened_at DESC, id DESC LIMIT $3`, args...)
}

// conditions are those of the fields that choose; a condition that is not there lets
// the engine use the index of one that is.
func (f Filter) conditions(args []any) (string, []any) {
	var where strings.Builder
	add := func(text string, value any) {
		args = append(args, value)
		where.WriteString(` AND ` + strings.ReplaceAll(text, "$n", "$"+strconv.Itoa(len(args))))
	}
	if f.Actor != "" {
		add(`folded_actor = $n`, strings.ToLower(f.Actor))
	}
	switch {
	case f.Action == "":
	case strings.Contains(f.Action, "."):
		add(`action = $n`, f.Action)
	default:
		add(`area = $n`, f.Action)
	}
	if f.Outcome != "" {
		add(`outcome = $n`, string(f.Outcome))
	}
	if f.Text != "" {
		add(`lower(object) LIKE $n ESCAPE '\'`, "%"+likeText(strings.ToLower(f.Text))+"%")
	}
	if !f.Since.IsZero() {
		add(`happened_at >= $n`, database.Time(f.Since))
	}
	if !f.Until.IsZero() {
		add(`happened_at < $n`, database.Time(f.Until))
	}
	return where.String(), args
}

// likeText is text that LIKE takes as it stands.
func likeText(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// Get is one entry.
func Get(ctx context.Context, q database.Querier, id int64) (Entry, error) {
	e, err := database.One(ctx, q, scanEntry, `SELECT `+columns+` FROM audit_entries WHERE id = $1`, id)
	if errors.Is(err, database.ErrNotFound) {
		return e, ErrNotFound
	}
	return e, err
}

// purgeBatch bounds one transaction of a purge.
const purgeBatch = 1000

// Purge deletes the entries from before the time, one batch after the other, and counts
// them.
func Purge(ctx context.Context, db *database.DB, before time.Time) (total int64, err error) {
	for {
		var n int64
		err := db.WriteKeyed(ctx, "audit/purge", func(ctx context.Context, tx *database.Tx) error {
			r, err := tx.Exec(ctx, `DELETE FROM audit_entries WHERE id IN (
				SELECT id FROM audit_entries WHERE happened_at < $1 ORDER BY happened_at LIMIT $2)`,
				database.Time(before), purgeBatch)
			n = r.RowsAffected
			return err
		})
		if total += n; err != nil || n < purgeBatch {
			return total, err
		}
	}
}
