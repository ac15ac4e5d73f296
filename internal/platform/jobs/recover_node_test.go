package jobs

import (
	"context"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
)

// TestRecoverNode: a node that returns takes up what its earlier process held, at once,
// and leaves alone what other nodes hold.
func TestRecoverNode(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a", MaxAttempts: 3}, nil)
		for n := range 2 {
			err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := w.Enqueue(ctx, tx, Enqueue{Kind: "a", Payload: note{N: n}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		lease := database.Time(w.clock.Now().Add(time.Hour))
		for holder, order := range map[string]string{"aa-earlier": "ASC", "bb-earlier": "DESC"} {
			_, err := w.db.Exec(t.Context(), `UPDATE stoa_jobs SET state = 'running', holder = $1, claim_at = $2, attempt = 1
				WHERE seq = (SELECT seq FROM stoa_jobs ORDER BY seq `+order+` LIMIT 1)`, holder, lease)
			if err != nil {
				t.Fatal(err)
			}
		}
		q := New(Options{DB: w.db, Clock: w.clock, IDs: ids.Random(), Node: "aa"})
		if err := q.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		var states []string
		rows, err := w.db.Query(t.Context(), `SELECT state FROM stoa_jobs ORDER BY seq`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var state string
			if err := rows.Scan(&state); err != nil {
				t.Fatal(err)
			}
			states = append(states, state)
		}
		if err := rows.Close(); err != nil || len(states) != 2 || states[0] != "suspect" || states[1] != "running" {
			t.Errorf("states are %v (%v), want our own a suspect and the other's running", states, err)
		}
	})
}
