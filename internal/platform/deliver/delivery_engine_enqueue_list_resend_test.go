package deliver_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/deliver/tally"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/seal"
)

func epoch() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// world is an engine on a virtual clock.
type world struct {
	*deliver.Engine
	t     *testing.T
	db    *database.DB
	queue *jobs.Queue
	clock *clock.Virtual
	box   *seal.Box
}

// each runs fn on both databases.
func each(t *testing.T, fn func(t *testing.T, w *world, r *delivertest.Receiver)) {
	t.Helper()
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) { on(t, db, fn) })
}

// network runs fn on SQLite: what it is about is the calls, not how they are stored.
func network(t *testing.T, fn func(t *testing.T, w *world, r *delivertest.Receiver)) {
	t.Helper()
	t.Parallel()
	on(t, databases.SQLite(t), fn)
}

func on(t *testing.T, db *database.DB, fn func(t *testing.T, w *world, r *delivertest.Receiver)) {
	t.Helper()
	r := delivertest.NewReceiver(t)
	box, err := seal.Open(t.TempDir(), "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	fn(t, newWorld(t, db, box, clock.NewVirtual(epoch()), newClient(t, r.Config, nil)), r)
}

func newWorld(t *testing.T, db *database.DB, box *seal.Box, v *clock.Virtual, client *deliver.Client) *world {
	t.Helper()
	w := &world{t: t, db: db, clock: v, box: box}
	w.queue = jobs.New(jobs.Options{DB: db, Clock: v, IDs: ids.Random(), Poll: 50 * time.Millisecond})
	w.Engine = deliver.New(deliver.Options{DB: db, Jobs: w.queue, Clock: v, IDs: ids.Random(), Seal: box, Client: client})
	w.queue.Register(w.Jobs()...)
	return w
}

func (w *world) enqueue(messages ...deliver.Message) (made []string) {
	w.t.Helper()
	err := w.db.Write(w.t.Context(), func(ctx context.Context, tx *database.Tx) error {
		made = nil
		for _, m := range messages {
			id, err := w.Enqueue(w.t.Context(), tx, m)
			if err != nil {
				return err
			}
			made = append(made, id)
		}
		return nil
	})
	if err != nil {
		w.t.Fatalf("Enqueue = %v", err)
	}
	return made
}

func (w *world) settle() {
	w.t.Helper()
	if err := w.queue.Settle(w.t.Context()); err != nil {
		w.t.Fatalf("Settle = %v", err)
	}
}

func (w *world) advance(d time.Duration) {
	w.t.Helper()
	if err := w.queue.AdvanceJobsTo(w.t.Context(), w.clock, w.clock.Now().Add(d)); err != nil {
		w.t.Fatalf("AdvanceJobsTo = %v", err)
	}
}

func (w *world) get(id string) deliver.Delivery {
	w.t.Helper()
	d, err := w.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatalf("Get(%s) = %v", id, err)
	}
	return d
}

func TestStatuses(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		acknowledge := map[int]bool{200: true, 201: true, 202: true, 204: true}
		again := map[int]bool{500: true, 502: true, 503: true, 504: true}
		for _, status := range []int{200, 201, 202, 203, 204, 205, 206, 301, 302, 304, 307, 400, 401, 403, 404, 408, 410, 418,
			429, 499, 500, 501, 502, 503, 504, 505, 511, 550} {
			r.Reply(delivertest.Answer(status))
			id := w.enqueue(deliver.Message{Service: "test", URL: r.URL + "/hook?token=hunter2"})[0]
			w.settle()
			got := w.get(id)
			want := deliver.Failed
			switch {
			case acknowledge[status]:
				want = deliver.Delivered
			case again[status]:
				want = deliver.Pending
			}
			if got.State != want || got.Attempts != 1 || got.Status != status {
				t.Errorf("status %d: %s after %d attempts with %d, want %s after 1", status, got.State, got.Attempts, got.Status,
					want)
			}
			if (want == deliver.Pending) == got.NextAttempt.IsZero() || (want == deliver.Pending) != got.Finished.IsZero() {
				t.Errorf("status %d: next attempt %v, finished %v", status, got.NextAttempt, got.Finished)
			}
			if want == deliver.Delivered && got.LastError != "" || want != deliver.Delivered &&
				got.LastError != fmt.Sprintf("status %d", status) {
				t.Errorf("status %d: error %q", status, got.LastError)
			}
		}
		r.Reply(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusProcessing)
			panic(http.ErrAbortHandler)
		})
		id := w.enqueue(deliver.Message{URL: r.URL})[0]
		w.settle()
		if got := w.get(id); got.State != deliver.Delivered || got.Status != 102 {
			t.Errorf("102: %+v, want delivered", got)
		}
		if got, want := w.Engine.Attempts(), (tally.Attempts{Delivered: 5, Retried: 4, Failed: 20}); got != want {
			t.Errorf("attempts %+v, want %+v", got, want)
		}
		waiting, err := tally.Backlogs(t.Context(), w.db)
		if want := []tally.Backlog{{Service: "test", N: 4}}; err != nil || !slices.Equal(waiting, want) {
			t.Errorf("backlogs %v (%v), want %v", waiting, err, want)
		}
	})
}

func TestRetries(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		r.Reply(delivertest.Answer(http.StatusServiceUnavailable))
		id := w.enqueue(deliver.Message{Channel: "c", URL: r.URL})[0]
		w.settle()
		for i, pause := range deliver.Pauses() {
			d := w.get(id)
			if wait := d.NextAttempt.Sub(w.clock.Now()); d.Attempts != i+1 || wait < pause*8/10 || wait > pause*12/10 {
				t.Errorf("after attempt %d (recorded %d) the next comes in %s, want %s and a fifth more or less", i+1, d.Attempts,
					wait, pause)
			}
			w.advance(d.NextAttempt.Sub(w.clock.Now()) - time.Second)
			if got := len(r.Requests()); got != i+1 {
				t.Fatalf("%d requests before attempt %d was due", got, i+2)
			}
			w.advance(time.Second) // To the moment of the attempt, from which the next pause counts.
		}
		d := w.get(id)
		if d.State != deliver.Failed || d.Attempts != deliver.MaxAttempts || len(r.Requests()) != deliver.MaxAttempts {
			t.Errorf("%s after %d attempts and %d requests, want failed after %d", d.State, d.Attempts, len(r.Requests()),
				deliver.MaxAttempts)
		}
		if took := w.clock.Now().Sub(epoch()); took < 18*time.Hour || took > 30*time.Hour {
			t.Errorf("gave up after %s, want about 24 h", took)
		}
	})
}

func TestBadAddressFailsOnce(t *testing.T) {
	network(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		other := delivertest.NewReceiver(t) // Its authority is not trusted here.
		made := w.enqueue(
			deliver.Message{URL: "https://10.0.0.1/?token=hunter2"}, deliver.Message{URL: other.URL + "/?token=hunter2"},
		)
		w.settle()
		for i, want := range []string{"not allowed", "certificate"} {
			d := w.get(made[i])
			if d.State != deliver.Failed || d.Attempts != 1 || !strings.Contains(d.LastError, want) {
				t.Errorf("%+v, want failed once because of %q", d, want)
			}
			if text := fmt.Sprintf("%+v", d); strings.Contains(text, "hunter2") {
				t.Errorf("the log shows the query: %s", text)
			}
		}
	})
}

func TestEnqueueRefuses(t *testing.T) {
	network(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		rows := []struct {
			name string
			m    deliver.Message
		}{
			{"http", deliver.Message{URL: "http://example.com/"}},
			{"no host", deliver.Message{URL: "https:///x"}},
			{"method", deliver.Message{URL: r.URL, Method: "PO ST"}},
			{"large body", deliver.Message{URL: r.URL, Body: make([]byte, 300<<10)}},
			{"header name", deliver.Message{URL: r.URL, Header: map[string]string{"a b": "c"}}},
			{"header value", deliver.Message{URL: r.URL, Header: map[string]string{"a": "b\r\nc: d"}}},
			{"host header", deliver.Message{URL: r.URL, Header: map[string]string{"host": "example.com"}}},
			{"length header", deliver.Message{URL: r.URL, Header: map[string]string{"content-length": "7"}}},
			{"large headers", deliver.Message{URL: r.URL, Header: map[string]string{"a": strings.Repeat("b", 70<<10)}}},
		}
		for _, row := range rows {
			err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := w.Enqueue(t.Context(), tx, row.m)
				return err
			})
			if err == nil {
				t.Errorf("%s: Enqueue = nil, want an error", row.name)
			}
		}
	})
}

func TestNothingWithoutCommit(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		undone := errors.New("undone")
		err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			if _, err := w.Enqueue(t.Context(), tx, deliver.Message{URL: r.URL}); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		w.settle()
		if got := r.Requests(); len(got) != 0 {
			t.Errorf("received %+v of a transaction that was rolled back", got)
		}
	})
}

func TestOrderOfAChannel(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		const channels, messages = 3, 6
		var mu sync.Mutex
		got, tries := map[string][]string{}, map[string]int{}
		r.Reply(func(rw http.ResponseWriter, req *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			key := req.Header.Get("Channel") + req.Header.Get("Number")
			if tries[key]++; tries[key] <= len(key)%3 { // Some fail once or twice before they get through.
				rw.WriteHeader(http.StatusBadGateway)
				return
			}
			got[req.Header.Get("Channel")] = append(got[req.Header.Get("Channel")], req.Header.Get("Number"))
		})
		var want []string
		for n := range messages {
			want = append(want, strings.Repeat("x", n))
			for c := range channels {
				name := fmt.Sprintf("channel-%d", c)
				w.enqueue(deliver.Message{Channel: name, URL: r.URL, Header: map[string]string{"Channel": name, "Number": want[n]}})
			}
		}
		w.advance(48 * time.Hour)
		mu.Lock()
		defer mu.Unlock()
		for c := range channels {
			if diff := cmp.Diff(want, got[fmt.Sprintf("channel-%d", c)]); diff != "" {
				t.Errorf("channel %d (-want +got):\n%s", c, diff)
			}
		}
	})
}

// A receiver that hangs, with more channels than there are workers, does not delay another receiver.
func TestSlowReceiver(t *testing.T) {
	network(t, func(t *testing.T, w *world, fast *delivertest.Receiver) {
		slow := delivertest.NewReceiver(t)
		trust := slow.Config
		client := newClient(t, trust, nil)
		release := make(chan struct{})
		var inside atomic.Int32
		slow.Reply(func(_ http.ResponseWriter, r *http.Request) {
			inside.Add(1)
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		w = newWorld(t, w.db, w.box, w.clock, client)
		var messages []deliver.Message
		for i := range deliver.Workers + 20 {
			messages = append(messages, deliver.Message{Channel: fmt.Sprintf("slow-%d", i), URL: slow.URL})
		}
		w.enqueue(messages...)
		if err := w.queue.Start(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		until(t, "the slow receiver is full", func() bool { return inside.Load() == deliver.PerReceiver })
		// Of another host and, because its authority is unknown here, refused: its end is what matters.
		id := w.enqueue(deliver.Message{Channel: "fast", URL: fast.URL})[0]
		until(t, "the other delivery is finished", func() bool { return w.get(id).State != deliver.Pending })
		if got := inside.Load(); got != deliver.PerReceiver {
			t.Errorf("%d calls at the slow receiver, want %d", got, deliver.PerReceiver)
		}
		close(release)
		until(t, "all slow deliveries are finished", func() bool {
			w.clock.Advance(time.Second) // Those that went back to the queue wait on the world's clock.
			left, err := w.List(t.Context(), deliver.Filter{State: deliver.Pending, Limit: 1})
			return err == nil && len(left) == 0
		})
		if err := w.queue.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}

// An owner with thousands of messages to receivers that hang does not delay another's single one.
func TestOwnersDoNotWaitForEachOther(t *testing.T) {
	each(t, func(t *testing.T, w *world, _ *delivertest.Receiver) {
		a := delivertest.NewAuthority(t)
		config := &tls.Config{Certificates: []tls.Certificate{a.Issue(t)}}
		slow := delivertest.Start(t, a, "127.0.0.1:0", config)
		fast := delivertest.Start(t, a, "127.0.0.1:0", config)
		w = newWorld(t, w.db, w.box, w.clock, newClient(t, fast.Config, nil))
		w.SetMaxWaiting(10_000, 5_000)
		release := make(chan struct{})
		var inside, arrived atomic.Int32
		slow.Reply(func(_ http.ResponseWriter, r *http.Request) {
			inside.Add(1)
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		fast.Reply(func(http.ResponseWriter, *http.Request) { arrived.Add(1) })
		for _, lane := range []string{"", "lane-%d"} {
			var messages []deliver.Message
			for i := range 2_500 {
				m := deliver.Message{Owner: "ada", URL: slow.URL}
				if lane != "" {
					m.Channel = fmt.Sprintf(lane, i)
				}
				messages = append(messages, m)
			}
			w.enqueue(messages...)
		}
		more := w.enqueue(deliver.Message{Owner: "ada", URL: slow.URL})[0]
		if d := w.get(more); d.State != deliver.Failed || !strings.Contains(d.LastError, "5000 messages waiting") {
			t.Errorf("one more is %s with %q, want failed with the bound", d.State, d.LastError)
		}
		if err := w.queue.Start(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		until(t, "the slow receiver is full", func() bool { return inside.Load() == deliver.PerReceiver })
		w.enqueue(deliver.Message{Owner: "bob", URL: fast.URL}, deliver.Message{Owner: "ada", URL: fast.URL})
		until(t, "bob's message arrives while none of ada's has ended", func() bool { return arrived.Load() >= 1 })
		if got := inside.Load(); got != deliver.PerReceiver {
			t.Errorf("%d calls at the slow receiver, want %d", got, deliver.PerReceiver)
		}
		stop, cancel := context.WithCancel(context.Background())
		cancel()
		if err := w.queue.Stop(stop); err != nil {
			t.Error(err)
		}
		close(release)
	})
}

// A receiver with more channels than it gets calls at once is not greeted anew for every message.
func TestManyChannelsOfOneReceiver(t *testing.T) {
	network(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		var messages []deliver.Message
		for i := range 3 * deliver.PerReceiver {
			messages = append(messages, deliver.Message{Channel: fmt.Sprint("c", i), URL: r.URL})
		}
		w.enqueue(messages...)
		if err := w.queue.Start(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		until(t, "all deliveries are finished", func() bool {
			w.clock.Advance(time.Second) // The first ones wait for the handshakes, and some go back to the queue.
			left, err := w.List(t.Context(), deliver.Filter{State: deliver.Pending, Limit: 1})
			return err == nil && len(left) == 0
		})
		if err := w.queue.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		// A call takes the connection that is free first, the one being opened for it or another.
		if n := r.Connections(); n > 2*deliver.PerReceiver {
			t.Errorf("%d connections for %d messages, want at most %d", n, len(messages), 2*deliver.PerReceiver)
		}
	})
}

// until waits in real time for what other goroutines do.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for !done() {
		if clock.Sleep(ctx, clock.Real(), 5*time.Millisecond) != nil {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// The process dies after the receiver answered and before that was recorded: the same bytes come once more.
func TestCrashBeforeTheRecord(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		arrived, dead := make(chan struct{}), make(chan struct{})
		var first sync.Once
		r.Reply(func(http.ResponseWriter, *http.Request) {
			first.Do(func() { close(arrived); <-dead })
		})
		id := w.enqueue(deliver.Message{Channel: "c", URL: r.URL, Header: map[string]string{"Number": "7"},
			Body: []byte("same")})[0]
		if err := w.queue.Start(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
		<-arrived
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // No patience: the call is cut off while the receiver has the message.
		_ = w.queue.Stop(ctx)
		close(dead)

		next := newWorld(t, w.db, w.box, w.clock, newClient(t, r.Config, nil))
		if err := next.queue.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		next.settle()
		got := r.Requests()
		if len(got) != 2 || got[0].Body != "same" || got[1].Body != "same" ||
			got[0].Header.Get("Number") != got[1].Header.Get("Number") {
			t.Errorf("received %+v, want the same message twice", got)
		}
		if d := next.get(id); d.State != deliver.Delivered || d.Attempts != 1 {
			t.Errorf("%+v, want delivered, one attempt recorded", d)
		}
	})
}

func TestDeadline(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		r.Reply(delivertest.Answer(http.StatusInternalServerError))
		made := w.enqueue(
			deliver.Message{URL: r.URL, Deadline: epoch().Add(-time.Second)},
			deliver.Message{URL: r.URL, Deadline: epoch().Add(time.Minute)},
		)
		w.settle()
		if d := w.get(made[0]); d.State != deliver.Failed || d.Attempts != 0 {
			t.Errorf("late from the start: %+v, want failed without an attempt", d)
		}
		w.advance(time.Hour)
		if d := w.get(made[1]); d.State != deliver.Failed || d.Attempts != 3 || !strings.Contains(d.LastError, "deadline") {
			// 0 s, 5 s, 35 s; the next would come after two minutes.
			t.Errorf("a minute: %+v, want failed after 3 attempts", d)
		}
	})
}

func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		made := w.enqueue(deliver.Message{Channel: "a", URL: r.URL}, deliver.Message{Channel: "a", URL: r.URL},
			deliver.Message{Channel: "b", URL: r.URL})
		err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			n, err := w.Cancel(t.Context(), tx, "a")
			if err == nil && n != 2 {
				t.Errorf("Cancel = %d, want 2", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		w.settle()
		if got := len(r.Requests()); got != 1 {
			t.Errorf("received %d, want only that of the other channel", got)
		}
		for i, want := range []deliver.State{deliver.Canceled, deliver.Canceled, deliver.Delivered} {
			if got := w.get(made[i]).State; got != want {
				t.Errorf("delivery %d is %s, want %s", i, got, want)
			}
		}
	})
}

// A channel that ends while its message is on the way stays ended, whatever the receiver says.
func TestCancelDuringACall(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		r.Reply(func(rw http.ResponseWriter, _ *http.Request) {
			err := w.db.Write(context.Background(), func(ctx context.Context, tx *database.Tx) error {
				_, err := w.Cancel(context.Background(), tx, "c")
				return err
			})
			if err != nil {
				t.Errorf("Cancel = %v", err)
			}
			rw.WriteHeader(http.StatusServiceUnavailable)
		})
		id := w.enqueue(deliver.Message{Channel: "c", URL: r.URL})[0]
		w.advance(48 * time.Hour)
		if d := w.get(id); d.State != deliver.Canceled || len(r.Requests()) != 1 {
			t.Errorf("%+v after %d requests, want canceled after 1", d, len(r.Requests()))
		}
	})
}

func TestLogAndResend(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		var made []string
		for i := range 5 {
			made = append(made,
				w.enqueue(deliver.Message{Service: fmt.Sprintf("s%d", i%2), Channel: "c", URL: r.URL + "/x?token=hunter2",
					Body: []byte("b")})...)
			w.clock.Advance(time.Second)
		}
		if _, err := w.Resend(t.Context(), made[0]); !errors.Is(err, deliver.ErrPending) {
			t.Errorf("Resend = %v, want ErrPending", err)
		}
		r.Reply(delivertest.Sequence(400, 204))
		w.settle()
		list := func(f deliver.Filter) (found []string) {
			ds, err := w.List(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range ds {
				found = append(found, d.ID)
			}
			return found
		}
		rows := []struct {
			f    deliver.Filter
			want []string
		}{
			{deliver.Filter{}, []string{made[4], made[3], made[2], made[1], made[0]}},
			{deliver.Filter{Limit: 2}, []string{made[4], made[3]}},
			{deliver.Filter{Limit: 2, After: made[3]}, []string{made[2], made[1]}},
			{deliver.Filter{State: deliver.Failed}, made[:1]},
			{deliver.Filter{Service: "s1"}, []string{made[3], made[1]}},
			{deliver.Filter{Channel: "none"}, nil},
		}
		for _, row := range rows {
			if diff := cmp.Diff(row.want, list(row.f)); diff != "" {
				t.Errorf("List(%+v) (-want +got):\n%s", row.f, diff)
			}
		}
		again, err := w.Resend(t.Context(), made[0])
		if err != nil {
			t.Fatal(err)
		}
		w.settle()
		got, want := w.get(again), w.get(made[0])
		if got.State != deliver.Delivered || got.ResendOf != made[0] || want.State != deliver.Failed {
			t.Errorf("resent %+v of %+v", got, want)
		}
		requests := r.Requests()
		if diff := cmp.Diff(requests[0], requests[5]); diff != "" {
			t.Errorf("the second sending differs (-first +second):\n%s", diff)
		}
		for _, id := range []string{"", "none"} {
			if _, err := w.Resend(t.Context(), id); !errors.Is(err, deliver.ErrNotFound) {
				t.Errorf("Resend(%q) = %v, want ErrNotFound", id, err)
			}
		}
	})
}

func TestSecretsAtRest(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		w.enqueue(deliver.Message{
			URL: r.URL + "/?token=hunter2", Header: map[string]string{"X-Channel-Token": "hunter3"}, Body: []byte("hunter4"),
		})
		rows, err := w.db.Query(t.Context(), `SELECT address, request FROM deliver_messages`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var address string
			var request []byte
			if err := rows.Scan(&address, &request); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(address, "hunter") || bytes.Contains(request, []byte("hunter")) {
				t.Errorf("a secret lies open: %s %q", address, request)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCleaning(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		old := w.enqueue(deliver.Message{URL: r.URL})[0]
		w.settle()
		w.clock.Advance(29 * 24 * time.Hour)
		young := w.enqueue(deliver.Message{URL: r.URL})[0]
		w.settle()
		w.get(old)
		w.advance(26 * time.Hour)
		if _, err := w.Get(t.Context(), old); !errors.Is(err, deliver.ErrNotFound) {
			t.Errorf("Get = %v, want ErrNotFound", err)
		}
		w.get(young)
	})
}
