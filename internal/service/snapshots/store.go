package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// store is the tables of the service.
type store struct{}

func (store) insertGraph(ctx context.Context, q database.Querier, g Graph) error {
	request, err := json.Marshal(g.Request)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO snapshots_graphs (id, org, digest, path, request, state, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		g.ID, g.Org, g.Digest, g.Path, string(request), string(Pending), database.Time(g.Created), database.NullTime(g.Expires))
	return err
}

const graphColumns = `id, org, digest, path, request, state, sha256, reason, created_at, expires_at`

func (store) graph(ctx context.Context, q database.Querier, id string) (Graph, error) {
	g, err := database.One(ctx, q, scanGraph, `SELECT `+graphColumns+` FROM snapshots_graphs WHERE id = $1`, id)
	if errors.Is(err, database.ErrNotFound) {
		return Graph{}, errNotFound("snapshot")
	}
	return g, err
}

func scanGraph(s database.Scanner) (Graph, error) {
	var g Graph
	var request string
	err := s.Scan(&g.ID, &g.Org, &g.Digest, &g.Path, &request, (*string)(&g.State), &g.SHA256, &g.Reason,
		database.ScanTime(&g.Created), database.ScanNullTime(&g.Expires))
	if err != nil {
		return g, err
	}
	return g, json.Unmarshal([]byte(request), &g.Request)
}

// waiting returns the latest snapshot that waits for a picture.
func (store) waiting(ctx context.Context, q database.Querier, digest string) (Graph, error) {
	g, err := database.One(ctx, q, scanGraph, `SELECT `+graphColumns+` FROM snapshots_graphs
		WHERE digest = $1 AND state = 'pending' ORDER BY created_at DESC, id LIMIT 1`, digest)
	if errors.Is(err, database.ErrNotFound) {
		return Graph{}, errNotFound("snapshot")
	}
	return g, err
}

// finishGraphs ends the pending state of all that wait for a picture. One that
// is finished stays as it is, so a job that runs twice changes nothing.
func (store) finishGraphs(ctx context.Context, q database.Querier, digest string, state State, sha256, reason string) error {
	_, err := q.Exec(ctx, `UPDATE snapshots_graphs SET state = $2, sha256 = $3, reason = $4
		WHERE digest = $1 AND state = 'pending'`, digest, string(state), sha256, reason)
	return err
}

// deleteExpired removes snapshots and events whose time is over.
func (store) deleteExpired(ctx context.Context, q database.Querier, now, eventsBefore time.Time) error {
	_, err := q.Exec(ctx, `DELETE FROM snapshots_graphs WHERE expires_at IS NOT NULL AND expires_at <= $1`, database.Time(now))
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `DELETE FROM snapshots_events WHERE happened < $1`, eventsBefore.Unix())
	return err
}
