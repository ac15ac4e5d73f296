package database_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// action is one statement of a generated transaction.
type action struct {
	Kind string // add, move, drop, break
	Key  int
	To   int
	By   int64
}

// transaction is generated: what it does and how it ends.
type transaction struct {
	Actions []action
	End     string // commit, fail, panic
}

func transactions() *rapid.Generator[[]transaction] {
	act := rapid.Custom(func(t *rapid.T) action {
		return action{
			Kind: rapid.SampledFrom([]string{"add", "add", "move", "drop", "break"}).Draw(t, "kind"),
			Key:  rapid.IntRange(0, 3).Draw(t, "key"),
			To:   rapid.IntRange(0, 3).Draw(t, "to"),
			By:   rapid.Int64Range(1, 9).Draw(t, "by"),
		}
	})
	one := rapid.Custom(func(t *rapid.T) transaction {
		return transaction{
			Actions: rapid.SliceOfN(act, 0, 4).Draw(t, "actions"),
			End:     rapid.SampledFrom([]string{"commit", "commit", "fail", "panic"}).Draw(t, "end"),
		}
	})
	return rapid.SliceOfN(one, 1, 12)
}

// state is the model: key to amount.
type state map[int]int64

// apply is what a transaction does to the model; false if it must fail.
func (tr transaction) apply(s state) (state, bool) {
	next := maps.Clone(s)
	for _, a := range tr.Actions {
		switch a.Kind {
		case "add":
			next[a.Key] += a.By
		case "move":
			if next[a.Key] >= a.By {
				next[a.Key] -= a.By
				next[a.To] += a.By
			}
		case "drop":
			delete(next, a.Key)
		case "break":
			return s, false
		}
	}
	if tr.End != "commit" {
		return s, false
	}
	return next, true
}

// run does the same to the database and notes its place in the order.
func (tr transaction) run(ctx context.Context, tx *database.Tx, id int) error {
	for _, a := range tr.Actions {
		if err := a.run(ctx, tx); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "INSERT INTO test_order (id, place) SELECT $1, COALESCE(MAX(place), 0) + 1 FROM test_order", id)
	switch {
	case err != nil:
		return err
	case tr.End == "fail":
		return errRefused
	case tr.End == "panic":
		panic("generated")
	}
	return nil
}

func (a action) run(ctx context.Context, tx *database.Tx) error {
	const add = "INSERT INTO test_state (k, amount) VALUES ($1, $2) " +
		"ON CONFLICT (k) DO UPDATE SET amount = test_state.amount + excluded.amount"
	switch a.Kind {
	case "add":
		_, err := tx.Exec(ctx, add, a.Key, a.By)
		return err
	case "move":
		// Read, decide, write: lost updates would show.
		var amount int64
		err := tx.QueryRow(ctx, "SELECT amount FROM test_state WHERE k = $1", a.Key).Scan(&amount)
		if errors.Is(err, database.ErrNotFound) || err == nil && amount < a.By {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "UPDATE test_state SET amount = $2 WHERE k = $1", a.Key, amount-a.By); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, add, a.To, a.By)
		return err
	case "drop":
		_, err := tx.Exec(ctx, "DELETE FROM test_state WHERE k = $1", a.Key)
		return err
	}
	_, err := tx.Exec(ctx, "INSERT INTO test_state (k, amount) VALUES (-1, NULL)")
	return err
}

// TestConcurrentTransactionsAgainstAModel runs generated transactions at the
// same time. Some order must explain the result: each notes its place inside
// its transaction, and the model is led through that order.
func TestConcurrentTransactionsAgainstAModel(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		rapid.Check(t, func(rt *rapid.T) {
			all := transactions().Draw(rt, "transactions")
			reset(t, db)
			committed := runAll(t, db, all)
			want, last := state{}, 0
			for _, id := range order(t, db) {
				next, ok := all[id].apply(want)
				if !ok {
					rt.Fatalf("transaction %d must not have committed: %+v", id, all[id])
				}
				if !committed[id] {
					rt.Fatalf("transaction %d is stored but was not acknowledged", id)
				}
				want = next
				last++
			}
			if last != len(committed) {
				rt.Fatalf("%d transactions stored, %d acknowledged", last, len(committed))
			}
			if got := stored(t, db); !maps.Equal(got, want) {
				rt.Fatalf("state = %v, want %v", got, want)
			}
		})
	}, schema("0001_model.sql", `
		CREATE TABLE test_state (k BIGINT PRIMARY KEY, amount BIGINT NOT NULL);
		CREATE TABLE test_order (id BIGINT PRIMARY KEY, place BIGINT NOT NULL);`))
}

// runAll returns which transactions were acknowledged.
func runAll(t *testing.T, db *database.DB, all []transaction) map[int]bool {
	t.Helper()
	var mu sync.Mutex
	committed := map[int]bool{}
	var wg sync.WaitGroup
	for id, tr := range all {
		wg.Go(func() {
			_, wantOK := tr.apply(state{})
			o := writeCaught(t.Context(), db,
				func(ctx context.Context, tx *database.Tx) error { return tr.run(t.Context(), tx, id) })
			ok := o == outcome{}
			if ok != wantOK {
				t.Errorf("transaction %+v ended with %+v", tr, o)
			}
			if ok {
				mu.Lock()
				committed[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return committed
}

func reset(t *testing.T, db *database.DB) {
	t.Helper()
	for _, table := range []string{"test_state", "test_order"} {
		if _, err := db.Exec(t.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
}

func order(t *testing.T, db *database.DB) []int {
	t.Helper()
	ids, err := database.All(t.Context(), db, func(row database.Scanner) (id int, err error) {
		err = row.Scan(&id)
		return id, err
	}, "SELECT id FROM test_order ORDER BY place")
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func stored(t *testing.T, db *database.DB) state {
	t.Helper()
	s := state{}
	_, err := database.All(t.Context(), db, func(row database.Scanner) (struct{}, error) {
		var k int
		var amount int64
		err := row.Scan(&k, &amount)
		s[k] = amount
		return struct{}{}, err
	}, "SELECT k, amount FROM test_state")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCountersAreExact counts from many goroutines by reading and writing.
func TestCountersAreExact(t *testing.T) {
	t.Parallel()
	const clients, each = 6, 15
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		writes := map[string]func(fn func(context.Context, *database.Tx) error) error{
			"write": func(fn func(context.Context, *database.Tx) error) error { return db.Write(ctx, fn) },
			"keyed": func(fn func(context.Context, *database.Tx) error) error { return db.WriteKeyed(ctx, "counter", fn) },
		}
		for name, write := range writes {
			if _, err := db.Exec(ctx, "INSERT INTO test_counters VALUES ($1, 0)", name); err != nil {
				t.Fatal(err)
			}
			inParallel(clients, clients*each, func(int64) {
				err := write(func(ctx context.Context, tx *database.Tx) error {
					var n int
					if err := tx.QueryRow(ctx, "SELECT n FROM test_counters WHERE name = $1", name).Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec(ctx, "UPDATE test_counters SET n = $2 WHERE name = $1", name, n+1)
					return err
				})
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			var n int
			if err := db.QueryRow(ctx, "SELECT n FROM test_counters WHERE name = $1", name).Scan(&n); err != nil ||
				n != clients*each {
				t.Errorf("%s: counter = %d, %v; want %d", name, n, err, clients*each)
			}
		}
		if got := fmt.Sprint(db.Stats().Engine); got != string(db.Engine()) {
			t.Errorf("stats are of %s", got)
		}
	}, schema("0001_counters.sql", "CREATE TABLE test_counters (name {{text}} PRIMARY KEY, n BIGINT NOT NULL)"))
}
