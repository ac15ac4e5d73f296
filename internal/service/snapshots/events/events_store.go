package events

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

const columns = `id, happened, title, body, priority, alert_type, host, source, tags, aggregation_key, ` +
	`device_name, related_event_id`

func insert(ctx context.Context, q database.Querier, org string, e Event, created time.Time) error {
	tags, err := json.Marshal(e.Tags)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO snapshots_events (org, `+columns+`, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		org, e.ID, e.Happened, e.Title, e.Text, e.Priority, e.AlertType, e.Host, e.Source, string(tags),
		e.AggregationKey, e.DeviceName, e.RelatedEventID, database.Time(created))
	return err
}

// list lists what happened since a Unix second and before an event, latest
// first.
func list(
	ctx context.Context, q database.Querier, org string, from int64, before Event, limit int,
) ([]Event, error) {
	return database.All(ctx, q, scan, `SELECT `+columns+` FROM snapshots_events
		WHERE org = $1 AND happened >= $2 AND (happened < $3 OR happened = $3 AND id < $4)
		ORDER BY happened DESC, id DESC LIMIT $5`, org, from, before.Happened, before.ID, limit)
}

func byID(ctx context.Context, q database.Querier, org string, id int64) (Event, error) {
	e, err := database.One(ctx, q, scan,
		`SELECT `+columns+` FROM snapshots_events WHERE org = $1 AND id = $2`, org, id)
	if errors.Is(err, database.ErrNotFound) {
		return Event{}, refusal.Missing("event")
	}
	return e, err
}

func scan(s database.Scanner) (Event, error) {
	var e Event
	var tags string
	err := s.Scan(&e.ID, &e.Happened, &e.Title, &e.Text, &e.Priority, &e.AlertType, &e.Host, &e.Source, &tags,
		&e.AggregationKey, &e.DeviceName, &e.RelatedEventID)
	if err != nil {
		return e, err
	}
	return e, json.Unmarshal([]byte(tags), &e.Tags)
}

// DeleteBefore forgets up to limit events that happened before a time and says how many.
func DeleteBefore(ctx context.Context, q database.Querier, before time.Time, limit int) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM snapshots_events WHERE (org, id) IN (
		SELECT org, id FROM snapshots_events WHERE happened < $1 LIMIT $2)`, before.Unix(), limit)
	return r.RowsAffected, err
}

// ownersAbove are the owners of more events than a number.
func ownersAbove(ctx context.Context, q database.Querier, most int) ([]string, error) {
	return database.All(ctx, q, func(s database.Scanner) (org string, err error) {
		err = s.Scan(&org)
		return org, err
	}, `SELECT org FROM snapshots_events GROUP BY org HAVING COUNT(*) > $1 ORDER BY org`, most)
}

// latestSurplus is the latest event of an owner that is not among so many, as a place in their order.
func latestSurplus(ctx context.Context, q database.Querier, org string, most int) (Event, error) {
	return database.One(ctx, q, func(s database.Scanner) (e Event, err error) {
		err = s.Scan(&e.Happened, &e.ID)
		return e, err
	}, `SELECT happened, id FROM snapshots_events WHERE org = $1
		ORDER BY happened DESC, id DESC LIMIT 1 OFFSET $2`, org, most)
}

// deleteUntil forgets up to limit of an owner's oldest events, the last of them the one given, and says how many.
func deleteUntil(ctx context.Context, q database.Querier, org string, last Event, limit int) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM snapshots_events WHERE id IN (
		SELECT id FROM snapshots_events WHERE org = $1 AND happened <= $2 AND (happened < $2 OR id <= $3)
		ORDER BY happened, id LIMIT $4)`, org, last.Happened, last.ID, limit)
	return r.RowsAffected, err
}
