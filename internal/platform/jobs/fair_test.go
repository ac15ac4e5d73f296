package jobs

import (
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
)

func TestWaitingPerOwner(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define(Kind[note]{Name: "a", Concurrency: 2, PerOwner: Share{Waiting: 3}}, nil)
		for range 3 {
			w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada", Dedupe: "x"}, Enqueue{Kind: "a", Payload: note{1}})
			w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "bob"})
		}
		w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"}, Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"})
		w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada", Dedupe: "x"}) // joins the one that waits
		err := w.db.Write(t.Context(), func(tx *database.Tx) error {
			_, err := w.Enqueue(t.Context(), tx, Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"})
			return err
		})
		var full *limit.Exceeded
		if !errors.As(err, &full) || full.Limit != 3 || full.RetryAfter < time.Second {
			t.Errorf("one more: got %v, want *limit.Exceeded of 3", err)
		}
		w.settle()
		w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"})
	})
}
