package soak_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	kms "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/test/program"
)

var (
	length      = flag.Duration("for", 4*time.Second, "how long each promise is held")
	rate        = flag.Int("rate", 200, "calls a second of TestMixed")
	callsBefore = flag.Int("before", 500_000, "calls before those, as fast as they go, where it is held for minutes")
)

const (
	clients = 8
	// blocks are the parts that are compared, after those of the beginning, in which
	// caches and pools fill.
	blocks, warming = 15, 5
)

// mixed is a process under a load of every service.
type mixed struct {
	process *program.Process
	binary  string
	data    string
	// profiles is where those are that were written to have a collection made, rests how many.
	profiles string
	rests    int
	env      map[string]string
	watcher  *http.Client
	bare     *httptest.Server
}

// TestMixed: under a mixed load of every service neither memory nor descriptors nor
// goroutines nor the log of the database grow, calls do not become slower, and what the load
// took is given back when it ends.
func TestMixed(t *testing.T) {
	t.Parallel()
	m := startMixed(t)
	idle := m.settled(t, sample{})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	calls, bare := &waits{}, &waits{}
	stop, turns := make(chan struct{}), time.NewTicker(pause())
	defer turns.Stop()
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	var working sync.WaitGroup
	conn := m.dialKMS(t)
	all := make([]*client, clients)
	for i := range all {
		all[i] = &client{
			number: i, url: m.process.URL, env: m.env, key: m.env["STOA_SCHEDULING_KEY"],
			kms:   kms.NewKeyManagementServiceClient(conn),
			http:  &http.Client{Transport: transport, Timeout: time.Minute},
			waits: &waits{}, plain: m.bare.URL, bare: bare, now: func() int64 { return time.Now().Unix() },
		}
	}
	if *length >= time.Minute {
		if err := fillCaches(ctx, all); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range all {
		c.turns, c.waits = turns.C, calls
		working.Go(func() { cancelOn(cancel, work(ctx, c, func() bool { return closed(stop) })) })
	}
	taken := m.watch(ctx, t, turns, calls, bare)
	close(stop)
	working.Wait()
	if err := context.Cause(ctx); err != nil {
		t.Fatal(err)
	}
	transport.CloseIdleConnections()
	_ = conn.Close() // nothing is under way
	judge(t, taken, calls.count())
	m.settled(t, idle)
}

// pause is between two calls.
func pause() time.Duration { return time.Second / time.Duration(*rate) }

func startMixed(t *testing.T) *mixed {
	t.Helper()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := &mixed{binary: binary, data: t.TempDir(), profiles: t.TempDir(), watcher: &http.Client{Timeout: time.Minute}}
	m.process, err = program.Start(t.Context(), program.Options{
		Binary: binary, Data: m.data, Args: []string{"--demo", "--offline"}, Env: unlimited(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := m.process.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	if m.env, err = program.DemoEnv(m.data); err != nil {
		t.Fatal(err)
	}
	m.bare = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"kind":"bare"}`) // a client that is gone asks again
	}))
	t.Cleanup(m.bare.Close)
	return m
}

// unlimited keeps the limits counting and lets one user do what many would.
func unlimited() []string {
	var env []string
	for _, name := range []string{
		"TASKS_REQUESTS_PER_DAY", "LABELS_REQUESTS_PER_MINUTE", "APIKEYS_REQUESTS_PER_MINUTE",
		"SNAPSHOTS_SNAPSHOTS_PER_HOUR", "SNAPSHOTS_QUERIES_PER_HOUR", "SNAPSHOTS_REQUESTS_PER_MINUTE",
		"SNAPSHOTS_POINTS_PER_MINUTE", "EVENTS_LIMITS_USER", "EVENTS_LIMITS_POINTS", "EVENTS_LIMITS_CONTENT_MINUTE",
		"EVENTS_LIMITS_CONTENT_HOUR", "DEVICE_CODES_PER_MINUTE", "DEVICE_CODES_PER_NETWORK", "DEVICE_REQUESTS_PER_MINUTE",
		"ARTICLES_USER_PER_HOUR", "CALENDAR_REQUESTS_PER_MINUTE", "ANALYTICS_REQUESTS_PER_SECOND",
		"GENERATE_REQUESTS_PER_MINUTE", "GENERATE_TOKENS_PER_MINUTE", "GENERATE_REQUESTS_PER_DAY",
		"GENERATE_CALLS_PER_MINUTE", "PIPELINES_REQUESTS_BURST", "PIPELINES_REQUESTS_SUSTAINED",
	} {
		env = append(env, "STOA_"+name+"=1000000000")
	}
	if *length >= time.Minute && *length < time.Hour {
		// A piece of each of the server's own series grows for half an hour before it is moved to the disk.
		env = append(env, "STOA_SNAPSHOTS_OWN_METRICS=0s")
	}
	return append(env, "STOA_EVENTS_LIMITS_CPU=100000h", "STOA_LOG_LEVEL=error")
}

func (m *mixed) dialKMS(t *testing.T) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient("unix://"+m.env["STOA_KMS_SOCKET"],
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// fillCaches makes calls of the same kinds until what caches hold are their answers: a cache that is full of others
// goes on growing, as small entries take the place of large ones.
func fillCaches(ctx context.Context, all []*client) error {
	failures := make([]error, len(all))
	var group sync.WaitGroup
	for i, c := range all {
		group.Go(func() {
			failures[i] = work(ctx, c, func() bool { return c.waits.count() >= *callsBefore/len(all) })
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// work does one round after the other.
func work(ctx context.Context, c *client, enough func() bool) error {
	all := rounds()
	for n := c.number; !enough() && ctx.Err() == nil; n++ {
		r := all[n%len(all)]
		if r.seldom && n/len(all)%seldom != 0 {
			continue
		}
		if r.service == "apikeys" && c.number != 0 {
			continue // there is one key, and it changes
		}
		if err := r.run(ctx, c); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// seldom is how many rounds lie between two of those that cost much.
const seldom = 50

// watch takes samples until the time is over and returns the blocks that count.
func (m *mixed) watch(ctx context.Context, t *testing.T, turns *time.Ticker, calls, bare *waits) []block {
	t.Helper()
	each := *length / (blocks + warming)
	pace := time.NewTicker(max(each/20, 20*time.Millisecond))
	defer pace.Stop()
	var taken []block
	for n := range blocks + warming {
		var samples []sample
		before, err := processorTime(m.process.PID())
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(each); time.Now().Before(end) || len(samples) == 0; {
			s, err := m.look(ctx)
			if err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
			samples = append(samples, s)
			select {
			case <-pace.C:
			case <-ctx.Done():
				return nil
			}
		}
		b := blockOf(samples, calls.take(), bare.take())
		after, err := processorTime(m.process.PID())
		if err != nil {
			t.Fatal(err)
		}
		b.processor = after - before
		if *length >= time.Minute {
			turns.Stop()
			s, err := m.rest(ctx)
			if err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
			b.inUse = s.heap
			turns.Reset(pause())
		}
		t.Logf("%2d %s", n-warming+1, b)
		if n >= warming {
			taken = append(taken, b)
		}
	}
	return taken
}

// settled waits until the process holds no more than before, or, at the beginning, until
// it holds the same twice.
func (m *mixed) settled(t *testing.T, before sample) sample {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pace := time.NewTicker(200 * time.Millisecond)
	defer pace.Stop()
	var last sample
	for {
		now, err := m.look(ctx)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			t.Errorf("a minute after the load: %.0f descriptors and %.0f goroutines; before it %.0f and %.0f",
				last.descriptors, last.goroutines, before.descriptors, before.goroutines)
			return last
		case err != nil:
			t.Fatal(err)
		case before == sample{} && now.descriptors == last.descriptors && now.goroutines == last.goroutines:
			return now
		case before != sample{} && now.descriptors <= before.descriptors+readers &&
			now.goroutines <= before.goroutines+readers:
			t.Logf("after the load: %.0f descriptors and %.0f goroutines; before it %.0f and %.0f", now.descriptors,
				now.goroutines, before.descriptors, before.goroutines)
			return now
		}
		last = now
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
}

// readers is how many connections to the database stay open, with what they hold, after the
// first load.
const readers = 24

// judge holds the blocks against what is promised.
func judge(t *testing.T, taken []block, calls int) {
	t.Helper()
	t.Logf("%d calls in %s", calls, *length)
	// How far memory moves by itself: a collection more or less, pages of the database that a
	// connection keeps, and in the first minute caches that fill.
	noise, underWay := 4.0, 6.0
	switch {
	case *length < time.Minute:
		// In seconds more is under way when other programs begin to need the processors;
		// what stays is seen when the load has ended.
		noise, underWay = 48, readers+2*clients
	case *length < time.Hour:
		noise = 10
	}
	// What stays after a collection moves by a tenth of a megabyte.
	const inUse = 0.1
	for _, promise := range []struct {
		name              string
		of                func(block) float64
		perHour, unjudged float64
	}{
		{"MB resident", func(b block) float64 { return b.resident }, 1, noise},
		{"MB heap", func(b block) float64 { return b.heap }, 1, noise / 2},
		{"MB in use", func(b block) float64 { return b.inUse }, 1, inUse},
		{"MB log of the database", func(b block) float64 { return b.log }, 0, 16},
		{"descriptors", func(b block) float64 { return b.descriptors }, 0, underWay},
		{"goroutines", func(b block) float64 { return b.goroutines }, 0, underWay},
	} {
		r := over(taken, promise.of)
		t.Logf("%s: %v", promise.name, r)
		if r.rises(promise.perHour, promise.unjudged) {
			t.Errorf("%s: rises by %v; want at most %v in an hour", promise.name, r, promise.perHour)
		}
	}
	drift(t, taken)
}

// over is the trend of one number of the blocks.
func over(taken []block, of func(block) float64) trend {
	var values []float64
	for _, b := range taken {
		values = append(values, of(b))
	}
	return trendOf(values, *length/(blocks+warming))
}

// drift: calls do not become slower by a tenth. The slowest of a hundred are told from a
// machine that becomes slower by a bare server beside them: only what rises by itself and by
// the bare server's is the program's. The processor time of a call depends on no neighbour.
func drift(t *testing.T, taken []block) {
	t.Helper()
	share := func(of func(block) float64) func(block) float64 {
		var sum float64
		for _, b := range taken {
			sum += of(b) / float64(len(taken))
		}
		return func(b block) float64 { return of(b) / sum }
	}
	p99 := over(taken, share(func(b block) float64 { return b.p99.Seconds() }))
	ratio := over(taken, share(func(b block) float64 { return b.p99.Seconds() / b.bare.Seconds() }))
	work := over(taken, share(func(b block) float64 { return b.processor / float64(max(b.calls, 1)) }))
	t.Logf("p99, of its mean: %v; by a bare server's: %v; processor time of a call: %v", p99, ratio, work)
	if *length < time.Minute {
		return // a block has too few calls
	}
	if p99.rises(0, 0.1) && ratio.rises(0, 0.1) {
		t.Errorf("p99 rises by %v of its mean, and by %v beside a bare server; want less than 0.1", p99, ratio)
	}
	if work.rises(0, 0.1) {
		t.Errorf("the processor time of a call rises by %v of its mean; want less than 0.1", work)
	}
}
