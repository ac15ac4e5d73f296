package dispatch

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

var databases = databasetest.NewPool(store.Migrations())

func TestMain(m *testing.M) { goleak.VerifyTestMain(databases.Main(m)) }

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const lease = time.Minute

// testQueue performs cycles and does every job at once.
type testQueue struct {
	db   *database.DB
	done atomic.Int64 // outcomes that were written
}

func (q *testQueue) Perform(ctx context.Context, c *store.Cycle) error {
	c.Kinds, c.Holder, c.Lease = store.NewKinds(map[string]store.Kind{"a": {Name: "a"}}), "me", c.Now.Add(lease)
	err := c.Run(ctx, q.db)
	if err == nil {
		q.done.Add(int64(len(c.Outcomes)))
	}
	return err
}

func (q *testQueue) Attempt(_ context.Context, c *store.Claim) store.Outcome {
	return store.Outcome{Claim: c, Verdict: store.VerdictDone}
}

func (q *testQueue) ExtendLeases(context.Context)             {}
func (q *testQueue) Rewound(time.Time) bool                   { return false }
func (q *testQueue) LogPoison(context.Context, store.Outcome) {}

func (q *testQueue) NextSchedule(context.Context) (time.Time, error) { return database.MaxTime(), nil }

// A dispatcher on SQLite that knows its next due time has nothing to ask.
func TestIdleDispatcherAsksNothing(t *testing.T) {
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		q := &testQueue{db: db}
		kind := Kind{Kind: store.Kind{Name: "a", MaxAttempts: 1}}
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			for _, at := range []time.Time{epoch, epoch.Add(time.Hour)} {
				if _, err := store.Insert(ctx, tx, store.NewJob{Kind: kind.Kind, Payload: []byte("1"), At: at}, epoch); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		d := New(t.Context(), Options{
			Queue: q, DB: db, Clock: clock.NewVirtual(epoch), Log: slog.New(slog.DiscardHandler),
			Lease: lease, Poll: time.Second, Kinds: []Kind{kind}, Workers: 2,
		})
		go d.Run(t.Context())
		t.Cleanup(func() {
			d.Stop()
			<-d.Ended()
			d.Interrupt(nil)
		})
		// Nothing is due before the lease of the finished job would have ended.
		for q.done.Load() < 1 || d.deadline().Before(epoch.Add(lease)) {
			if err := clock.Sleep(t.Context(), clock.Real(), time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
		if p, ok := d.plan(); ok {
			t.Errorf("an idle dispatcher plans %+v, want nothing", p)
		}
	})
}

func TestPoller(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		poll bool
		want time.Duration
	}{{false, recheck}, {true, time.Second}} {
		p := poller{poll: c.poll, maxPoll: time.Second}
		var last time.Duration
		for range 10 {
			last = p.nextPoll()
		}
		if last != c.want {
			t.Errorf("poll %t: looks again after %s, want %s", c.poll, last, c.want)
		}
		if p.reset(); c.poll && p.nextPoll() != minPoll {
			t.Errorf("after work it does not look soon")
		}
	}
}
