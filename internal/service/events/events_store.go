package events

import (
	"context"
	"embed"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }

func insertEvent(ctx context.Context, tx *database.Tx, e Event) (id int64, err error) {
	return singlerow.Insert(ctx, tx, "id", `
		INSERT INTO events_events (type, actor_id, actor_name, repo_id, repo_name, network_id, org_id, org_name,
			public, own, payload, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		string(e.Type), e.Actor.ID, e.Actor.Name, e.RepoID, e.RepoName, e.NetworkID, e.OrgID, e.OrgName,
		e.Public, e.Own, string(e.Payload), database.Time(e.CreatedAt))
}

// hasPublicEvents reports whether a user is the actor of a public event.
func hasPublicEvents(ctx context.Context, q database.Querier, userID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, `SELECT COUNT(*) FROM
		(SELECT id FROM events_events WHERE actor_id = $1 AND public = TRUE LIMIT 1) AS shown`, userID).Scan(&n)
	return n > 0, err
}

// hideEvents makes the events of a repository private.
func hideEvents(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE events_events SET public = $2 WHERE repo_id = $1 AND public = $3`, id, false, true)
	return err
}

// deleteOldEvents deletes up to limit of the oldest events. It reads no more than it
// may delete: ids and times grow together, so there is no index of
// times, and an event that a clock put out of order waits for those before it.
func deleteOldEvents(ctx context.Context, tx *database.Tx, before time.Time, limit int) (int64, error) {
	result, err := tx.Exec(ctx, `
		DELETE FROM events_events WHERE created_at < $1 AND id IN
			(SELECT id FROM events_events ORDER BY id LIMIT $2)`, database.Time(before), limit)
	return result.RowsAffected, err
}

// eventRef is what it takes of an event to compare timelines.
type eventRef struct {
	id     int64
	public bool
	at     time.Time
}

func scanRef(s database.Scanner) (l eventRef, err error) {
	err = s.Scan(&l.id, &l.public, database.ScanTime(&l.at))
	return l, err
}

func scanEvent(s database.Scanner) (e Event, err error) {
	var payload string
	err = s.Scan(&e.ID, &e.Public, database.ScanTime(&e.CreatedAt), &e.Type, &e.Actor.ID, &e.Actor.Name,
		&e.RepoID, &e.RepoName, &e.NetworkID, &e.OrgID, &e.OrgName, &e.Own, &payload)
	e.Payload = []byte(payload)
	return e, err
}

const (
	refColumns   = `id, public, created_at`
	eventColumns = `id, public, created_at, type, actor_id, actor_name, repo_id, repo_name, network_id,
		org_id, org_name, own, payload`
)

// The conditions of the feeds. $1 is the feed's id, $2 the latest moment shown
// and $3 how many.
const (
	newestFirst  = ` AND created_at <= $2 ORDER BY id DESC LIMIT $3`
	wherePublic  = ` FROM events_events WHERE public = TRUE AND id > $1` + newestFirst
	whereNetwork = ` FROM events_events WHERE network_id = $1 AND public = TRUE` + newestFirst
	whereOrg     = ` FROM events_events WHERE org_id = $1 AND public = TRUE` + newestFirst
	whereOrgAll  = ` FROM events_events WHERE org_id = $1` + newestFirst
	whereRepo    = ` FROM events_events WHERE repo_id = $1 AND public = TRUE` + newestFirst
	whereRepoAll = ` FROM events_events WHERE repo_id = $1` + newestFirst
	whereUser    = ` FROM events_events WHERE actor_id = $1 AND public = TRUE` + newestFirst
	whereUserAll = ` FROM events_events WHERE actor_id = $1` + newestFirst
)

// where is the condition of a feed. Received feeds are merged from those of
// repositories.
func (k feedKind) where() string {
	switch k {
	case feedPublic:
		return wherePublic
	case feedNetwork:
		return whereNetwork
	case feedOrg:
		return whereOrg
	case feedOrgAll:
		return whereOrgAll
	case feedRepo, feedReceived:
		return whereRepo
	case feedRepoAll, feedReceivedAll:
		return whereRepoAll
	case feedUser:
		return whereUser
	case feedUserAll:
		return whereUserAll
	}
	return wherePublic
}

func listRefs(ctx context.Context, q database.Querier, f feed, until time.Time) ([]eventRef, error) {
	return database.All(ctx, q, scanRef, `SELECT `+refColumns+f.kind.where(), f.id, database.Time(until), maxEvents)
}

// errFeedFull ends a reading of events.
var errFeedFull = errors.New("the feed has its bytes")

// listEvents reads the newest events, fewer than limit when they take the bytes of a feed.
func listEvents(
	ctx context.Context, q database.Querier, f feed, until time.Time, limit int,
) (list []Event, err error) {
	bytes := 0
	scan := func(s database.Scanner) (e Event, err error) {
		if e, err = scanEvent(s); err != nil {
			return e, err
		}
		if bytes += len(e.Payload); bytes > maxFeedBytes && len(list) > 0 {
			return e, errFeedFull
		}
		list = append(list, e)
		return e, nil
	}
	_, err = database.All(ctx, q, scan, `SELECT `+eventColumns+f.kind.where(), f.id, database.Time(until), limit)
	if errors.Is(err, errFeedFull) {
		return list, nil
	}
	return list, err
}
