package deliver_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/seal"
)

var (
	receivers = flag.Int("receivers", 100, "how many receivers TestDeadReceiver has")
	deadFor   = flag.Duration("dead-for", 3*time.Second, "how long TestDeadReceiver sends to a dead receiver")
	deadShare = flag.Int("dead-share", 10, "how many messages others get for each of the dead receiver")
	slower    = flag.Float64("slower", 0, "how many times as long p99 of the others may be; 0 only tells it")
)

// sender sends to receivers of its own and notes how long each message was under way.
type sender struct {
	*deliver.Engine
	db    *database.DB
	queue *jobs.Queue
	urls  []string
	done  chan struct{} // what ends calls of the dead one

	mu    sync.Mutex
	sent  []time.Time
	waits []time.Duration // of the receivers that answer
	stuck int             // calls that the dead one holds
}

func newSender(t *testing.T, db *database.DB, dead bool) *sender {
	t.Helper()
	box, err := seal.Open(t.TempDir(), "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	s := &sender{db: db, done: make(chan struct{})}
	s.queue = jobs.New(jobs.Options{DB: db, Clock: clock.Real(), IDs: ids.Random()})
	s.Engine = deliver.New(deliver.Options{
		DB: db, Jobs: s.queue, Clock: clock.Real(), IDs: ids.Random(), Seal: box,
		Client: newClient(t, deliver.Config{Loopback: &deliver.Loopback{}}, nil),
	})
	s.queue.Register(s.Jobs()...)
	for i := range *receivers {
		handler := s.arrived
		if i == 0 && dead {
			handler = s.hang
		}
		server := httptest.NewServer(http.HandlerFunc(handler))
		t.Cleanup(server.Close)
		s.urls = append(s.urls, server.URL)
	}
	return s
}

// hang never answers.
func (s *sender) hang(_ http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.stuck++
	s.mu.Unlock()
	select {
	case <-s.done:
	case <-r.Context().Done():
	}
}

// held is how many calls the dead one got.
func (s *sender) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stuck
}

func (s *sender) arrived(_ http.ResponseWriter, r *http.Request) {
	now := clock.Real().Now()
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil {
		return // to the first one, which is not measured
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, now.Sub(s.sent[n]))
}

// send enqueues message n for a receiver, and now and then one for the first.
func (s *sender) send(ctx context.Context, n int) error {
	to := 1 + n%(len(s.urls)-1)
	s.mu.Lock()
	s.sent = append(s.sent, clock.Real().Now())
	s.mu.Unlock()
	messages := []deliver.Message{
		{Channel: fmt.Sprint("other ", to), Owner: "ada", URL: fmt.Sprint(s.urls[to], "/", n)},
	}
	if n%*deadShare == 0 {
		channel := fmt.Sprint("first ", n/(*deadShare)%100)
		messages = append(messages, deliver.Message{Channel: channel, Owner: "ada", URL: s.urls[0] + "/first"})
	}
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for _, m := range messages {
			if _, err := s.Enqueue(ctx, tx, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// p99 waits until n messages have arrived.
func (s *sender) p99(t *testing.T, n int) time.Duration {
	t.Helper()
	until(t, "all messages of the receivers that answer arrive", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.waits) == n
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.waits)
	return s.waits[len(s.waits)*99/100]
}

// TestDeadReceiver: one of many receivers hangs, and a hundred times as much is sent to it as to each other, by the
// same owner. Another sender beside it, whose receivers all answer, says how long messages take without that.
func TestDeadReceiver(t *testing.T) {
	t.Parallel()
	// One after the other: what is measured is a time.
	t.Run("sqlite", func(t *testing.T) { besideADeadReceiver(t, databases.SQLite) })
	t.Run("postgres", func(t *testing.T) { besideADeadReceiver(t, databases.Postgres) })
}

func besideADeadReceiver(t *testing.T, open func(testing.TB) *database.DB) {
	t.Helper()
	senders := []*sender{newSender(t, open(t), false), newSender(t, open(t), true)}
	for _, s := range senders {
		if err := s.queue.Start(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
	}
	const pause = 10 * time.Millisecond
	n, end := 0, clock.Real().Now().Add(*deadFor)
	latest := end.Add(time.Minute) // on a machine that is too busy for so many calls
	for now := clock.Real().Now(); now.Before(end) || senders[1].held() < deliver.PerReceiver && now.Before(latest); n++ {
		for _, i := range []int{n % 2, 1 - n%2} { // each is first as often
			if err := senders[i].send(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		if err := clock.Sleep(t.Context(), clock.Real(), pause); err != nil {
			t.Fatal(err)
		}
		now = clock.Real().Now()
	}
	alive, beside := senders[0].p99(t, n), senders[1].p99(t, n)
	close(senders[1].done)
	stop, cancel := context.WithCancel(context.Background())
	cancel() // what the dead one holds is not waited for
	for _, s := range senders {
		if err := s.queue.Stop(stop); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d receivers, %d messages: p99 %v, and %v beside one that held %d calls", *receivers, n,
		alive.Round(time.Millisecond/10), beside.Round(time.Millisecond/10), senders[1].held())
	if held := senders[1].held(); held < deliver.PerReceiver {
		t.Errorf("the dead receiver held %d calls, want %d at least", held, deliver.PerReceiver)
	}
	if *slower > 0 && float64(beside) > *slower*float64(alive) {
		t.Errorf("p99 is %v beside a dead receiver and %v without, want at most %g times as long", beside, alive, *slower)
	}
}
