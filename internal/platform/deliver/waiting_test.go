package deliver_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
)

// TestWaitingIsExact: after any messages, answers and cancellations, some of them at once, the numbers kept of waiting
// messages are the numbers of rows, and nothing is kept of owners who have none.
func TestWaitingIsExact(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Reply(func(rw http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/canceled" { // meanwhile
				w.waitingStep(0, nil)
			}
			rw.WriteHeader(map[string]int{"/fine": 200, "/later": 503, "/wrong": 404, "/canceled": 200}[req.URL.Path])
		})
		w.SetMaxWaiting(12, 8)
		hosts := []string{r.URL, "https://127.0.0.1:1"}
		rapid.Check(t, func(rt *rapid.T) {
			steps := rapid.SliceOfN(rapid.IntRange(0, 99), 1, 40).Draw(rt, "steps")
			var wg sync.WaitGroup
			for worker := range 3 {
				wg.Go(func() {
					for i := worker; i < len(steps); i += 3 {
						w.waitingStep(steps[i], hosts)
					}
				})
			}
			wg.Wait()
			w.checkWaiting(rt)
			w.settle()
			w.checkWaiting(rt)
			if rapid.Bool().Draw(rt, "all end") {
				for w.number(rt, `SELECT COUNT(*) FROM deliver_messages WHERE state = 'pending'`) > 0 {
					w.advance(13 * time.Hour)
				}
				w.advance(2 * time.Hour) // the next cleaning
				w.checkWaiting(rt)
				if n := w.number(rt, `SELECT COUNT(*) FROM deliver_waiting`); n != 0 {
					rt.Errorf("%d numbers are kept of owners with nothing waiting", n)
				}
			}
		})
	})
}

// waitingStep enqueues messages of an owner, or cancels a channel.
func (w *world) waitingStep(n int, hosts []string) {
	channel := fmt.Sprint("c", n%3)
	_ = w.db.Write(w.t.Context(), func(ctx context.Context, tx *database.Tx) error {
		if n%5 == 0 {
			_, err := w.Cancel(ctx, tx, channel)
			return err
		}
		var messages []deliver.Message
		for i := range n % 4 {
			messages = append(messages, deliver.Message{
				Owner: []string{"", "ada", "bob"}[n/4%3], Channel: channel,
				URL: hosts[(n+i/2)%2] + []string{"/fine", "/later", "/wrong", "/canceled"}[n/2%4],
			})
		}
		if err := w.EnqueueAll(ctx, tx, messages); err != nil {
			return err
		}
		if n%7 == 0 {
			return fmt.Errorf("this one changes its mind")
		}
		return nil
	})
}

// checkWaiting compares what is kept with what is there, host by host.
func (w *world) checkWaiting(t *rapid.T) {
	t.Helper()
	for _, text := range []string{
		`SELECT COUNT(*) FROM (SELECT owner, host, SUM(n) AS kept FROM deliver_waiting GROUP BY owner, host) AS k
			WHERE kept <> (SELECT COUNT(*) FROM deliver_messages m WHERE m.owner = k.owner AND m.state = 'pending'
				AND (k.host = '' OR m.address LIKE 'https://' || k.host || '/%'))`,
		`SELECT COUNT(*) FROM deliver_messages m WHERE m.owner <> '' AND m.state = 'pending'
			AND (SELECT COALESCE(SUM(n), 0) FROM deliver_waiting k WHERE k.owner = m.owner AND k.host = '') < 1`,
		`SELECT COUNT(*) FROM (SELECT owner, SUM(n) AS kept FROM deliver_waiting WHERE host = '' GROUP BY owner) AS k WHERE kept > 12`,
		`SELECT COUNT(*) FROM (SELECT owner, SUM(n) AS kept FROM deliver_waiting WHERE host <> '' GROUP BY owner, host) AS k WHERE kept > 8`,
	} {
		if n := w.number(t, text); n != 0 {
			t.Errorf("%d numbers are wrong by %s", n, text)
		}
	}
}

func (w *world) number(t *rapid.T, text string) (n int64) {
	t.Helper()
	if err := w.db.QueryRow(w.t.Context(), text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTooManyWaiting: beyond the bounds a message fails at once, with the reason, until others have ended.
func TestTooManyWaiting(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		w.SetMaxWaiting(5, 3)
		to := func(host string) deliver.Message {
			return deliver.Message{Owner: "ada", Channel: host, URL: "https://" + host + ".invalid/x"}
		}
		refused := func(m deliver.Message, reason string) {
			t.Helper()
			if d := w.get(w.enqueue(m)[0]); d.State != deliver.Failed || !strings.Contains(d.LastError, reason) {
				t.Errorf("%s: %s with %q, want failed with %q", m.URL, d.State, d.LastError, reason)
			}
		}
		taken := func(m deliver.Message) {
			t.Helper()
			if d := w.get(w.enqueue(m)[0]); d.State != deliver.Pending {
				t.Errorf("%s: %s with %q, want pending", m.URL, d.State, d.LastError)
			}
		}
		for range 3 {
			taken(to("one"))
		}
		for _, same := range []string{"ONE.invalid", "one.invalid:443", "one.invalid.", "One.Invalid.:443"} {
			refused(deliver.Message{Owner: "ada", Channel: "one", URL: "https://" + same + "/y"},
				"the owner has 3 messages waiting for one.invalid; 3 are allowed")
		}
		taken(deliver.Message{Owner: "ada", Channel: "port", URL: "https://one.invalid:8443/x"})
		taken(to("three"))
		refused(to("four"), "the owner has 5 messages waiting; 5 are allowed")
		taken(deliver.Message{Owner: "bob", URL: "https://one.invalid/x"})
		taken(deliver.Message{URL: "https://one.invalid/x"})
		if err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			n, err := w.Cancel(ctx, tx, "one")
			if n != 3 {
				t.Errorf("%d were canceled, want 3", n)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		taken(to("one"))
		if err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			return w.EnqueueAll(ctx, tx, []deliver.Message{to("one"), to("two"), to("one"), to("three")})
		}); err != nil {
			t.Fatal(err)
		}
		last, err := w.List(t.Context(), deliver.Filter{State: deliver.Failed})
		if err != nil || len(last) != 7 {
			t.Errorf("%d failed, %v, want 7: five as above and two of the last four", len(last), err)
		}
	})
}

// TestReceiversOfEarlierVersions: what waited under other spellings of a receiver is counted under its name.
func TestReceiversOfEarlierVersions(t *testing.T) {
	each(t, func(t *testing.T, w *world, _ *delivertest.Receiver) {
		text, err := os.ReadFile("migrations/0004_receivers.sql")
		if err != nil {
			t.Fatal(err)
		}
		spellings := []string{
			"one.invalid", "ONE.invalid:443", "one.invalid.", "One.Invalid.:443", "one.invalid:8443", "one.invalid:80",
			"[::443]",
		}
		for _, host := range spellings {
			id := w.enqueue(deliver.Message{Owner: "ada", Channel: "c", URL: "https://" + host + "/x"})[0]
			if _, err := w.db.Exec(t.Context(), `UPDATE deliver_messages SET host = $1 WHERE id = $2`, host, id); err != nil {
				t.Fatal(err)
			}
		}
		want, err := database.All(t.Context(), w.db, scanText, `SELECT owner || ' ' || host || ' ' || SUM(n)
			FROM deliver_waiting GROUP BY owner, host ORDER BY owner, host`)
		if err != nil || len(want) != 5 {
			t.Fatalf("%q, %v; want four receivers and the sum", want, err)
		}
		if _, err := w.db.Exec(t.Context(), `UPDATE deliver_waiting SET host = UPPER(host), n = 9`); err != nil {
			t.Fatal(err)
		}
		for statement := range strings.SplitSeq(string(text), ";\n") {
			if _, err := w.db.Exec(t.Context(), statement); strings.TrimSpace(statement) != "" && err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		got, err := database.All(t.Context(), w.db, scanText, `SELECT owner || ' ' || host || ' ' || SUM(n)
			FROM deliver_waiting GROUP BY owner, host ORDER BY owner, host`)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	})
}

func scanText(s database.Scanner) (text string, err error) {
	err = s.Scan(&text)
	return text, err
}
