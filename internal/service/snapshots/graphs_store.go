package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// The rows of one INSERT: constant texts for a few numbers of rows, so that all
// are prepared once.
const (
	insertHead = `INSERT INTO snapshots_graphs (id, org, digest, path, request, state, sha256, created_at, expires_at)
		VALUES `
	insertOne  = insertHead + `($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	insertFour = insertOne + `, ($10, $11, $12, $13, $14, $15, $16, $17, $18),
		($19, $20, $21, $22, $23, $24, $25, $26, $27), ($28, $29, $30, $31, $32, $33, $34, $35, $36)`
	insertEight = insertFour + `, ($37, $38, $39, $40, $41, $42, $43, $44, $45),
		($46, $47, $48, $49, $50, $51, $52, $53, $54),
		($55, $56, $57, $58, $59, $60, $61, $62, $63), ($64, $65, $66, $67, $68, $69, $70, $71, $72)`
)

// insertGraphs writes snapshots, as many as possible at once.
func insertGraphs(ctx context.Context, q database.Querier, list []Graph) error {
	for len(list) > 0 {
		n, text := 1, insertOne
		switch {
		case len(list) >= 8:
			n, text = 8, insertEight
		case len(list) >= 4:
			n, text = 4, insertFour
		}
		args := make([]any, 0, 9*n)
		for _, g := range list[:n] {
			args = append(args, g.ID, g.Org, g.Digest, g.Path, string(g.encoded), string(g.State), g.SHA256,
				database.Time(g.Created), database.NullTime(g.Expires))
		}
		if _, err := q.Exec(ctx, text, args...); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

const graphColumns = `id, org, digest, path, request, state, sha256, reason, created_at, expires_at`

func graphByID(ctx context.Context, q database.Querier, id string) (Graph, error) {
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
	if err != nil || request == "" {
		return g, err
	}
	return g, json.Unmarshal([]byte(request), &g.Request)
}

// waitingGraph returns the latest snapshot that waits for a picture.
func waitingGraph(ctx context.Context, q database.Querier, digest string) (Graph, error) {
	g, err := database.One(ctx, q, scanGraph, `SELECT `+graphColumns+` FROM snapshots_graphs
		WHERE digest = $1 AND state = 'pending' ORDER BY created_at DESC, id LIMIT 1`, digest)
	if errors.Is(err, database.ErrNotFound) {
		return Graph{}, errNotFound("snapshot")
	}
	return g, err
}

// finishGraphs ends the pending state of all that waited for a picture when one of them was read: who asked later may
// have stored points that the picture does not show. One that is finished stays as it is, so a job that runs twice
// changes nothing. What was asked for is needed for drawing only, and may be long.
func finishGraphs(ctx context.Context, q database.Querier, read Graph, state State, sha256, reason string) error {
	_, err := q.Exec(ctx, `UPDATE snapshots_graphs SET state = $3, sha256 = $4, reason = $5, request = ''
		WHERE digest = $1 AND state = 'pending' AND created_at <= $2`,
		read.Digest, database.Time(read.Created), string(state), sha256, reason)
	return err
}

// failForgotten ends the wait for pictures that were asked for before a time: their job ended with its process.
func failForgotten(ctx context.Context, q database.Querier, before time.Time) error {
	_, err := q.Exec(ctx, `UPDATE snapshots_graphs SET state = 'failed', reason = 'it was not drawn in time', request = ''
		WHERE state = 'pending' AND created_at < $1`, database.Time(before))
	return err
}

// deleteExpired removes up to limit snapshots whose time is over and says how many.
func deleteExpired(ctx context.Context, q database.Querier, now time.Time, limit int) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM snapshots_graphs WHERE id IN (
		SELECT id FROM snapshots_graphs WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`, database.Time(now), limit)
	return r.RowsAffected, err
}
