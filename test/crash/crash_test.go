package crash_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

const (
	issuers = 3 // writers over the admin socket
	chains  = 5 // writers over HTTP
	// longestLife bounds the random time between the first write and the kill.
	longestLife = 200 * time.Millisecond
)

// full reports whether the tests run in the form that the promises are made in,
// which STOA_CRASH_FULL=1 asks for.
func full() bool { return os.Getenv("STOA_CRASH_FULL") != "" }

// often is the number of kills. What is lost at one kill in five is found by fifteen
// at random moments in 96 runs of 100; the full form finds what is lost at one in
// sixteen as surely. A life costs seconds with the race detector, and almost all of
// it is the start.
func often(short, long int) int {
	if full() {
		return long
	}
	return short
}

// TestKill kills the server again and again in the middle of writes: fifteen times,
// fifty in full. It is back in time.
func TestKill(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r := &run{binary: binary, data: t.TempDir(), kills: often(15, 50), chains: make([]*chain, chains)}
	r.prepare(t)
	began := time.Now()
	for i := range r.kills {
		if i%(r.kills/emptyStarts) == 0 {
			r.startEmpty(t)
		}
		p, s := r.start(t)
		if i > 0 {
			r.auditChains(t, s)
		}
		r.writeAndKill(t, p, s, time.Duration(random.Int64N(int64(longestLife))))
		if t.Failed() {
			t.Fatalf("stopped after kill %d", i+1)
		}
	}
	r.finish(t)
	t.Logf("%d kills in %.1f s", r.kills, time.Since(began).Seconds())
	r.starts.judge(t, &r.empty)
}

// run is one data folder over many lives of the process.
type run struct {
	binary, data string
	kills        int
	issued       tokens
	chains       []*chain
	// starts are those after a kill, empty those of empty folders between them.
	starts, empty startTimes
}

// start brings the server back and connects to it.
func (r *run) start(t *testing.T) (*program.Process, *server) {
	t.Helper()
	p, err := r.starts.start(t, program.Options{
		Binary: r.binary, Data: r.data,
		// One user writes as fast as it can; its limits are not the question.
		Env: []string{
			"STOA_LABELS_REQUESTS_PER_MINUTE=100000000", "STOA_APIKEYS_REQUESTS_PER_MINUTE=100000000", "STOA_LOG_LEVEL=error",
		},
	})
	if err != nil {
		t.Fatalf("the server does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	client, _, err := admin.Dial(t.Context(), r.data)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{
		url: p.URL, admin: client,
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: chains}, Timeout: 10 * time.Second},
	}
	t.Cleanup(s.close)
	return p, s
}

func (s *server) close() {
	s.http.CloseIdleConnections()
	s.admin.Close()
}

// prepare makes the user and the first key of every chain.
func (r *run) prepare(t *testing.T) {
	t.Helper()
	p, s := r.start(t)
	defer s.close()
	if _, err := s.admin.Run(t.Context(), "user add",
		map[string][]string{"name": {"writer"}, "password": {"correct horse battery staple"}}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range r.chains {
		key, err := s.issueKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.chains[i] = &chain{live: key}
	}
	p.Kill()
}

// writeAndKill lets the writers write for a moment and kills the server.
func (r *run) writeAndKill(t *testing.T, p *program.Process, s *server, life time.Duration) {
	t.Helper()
	defer s.close()
	var writers sync.WaitGroup
	first := make(chan struct{})
	var once sync.Once
	for range issuers {
		writers.Go(func() {
			for {
				token, err := s.issueToken(context.Background())
				if err != nil {
					return
				}
				r.issued.add(token)
				once.Do(func() { close(first) })
			}
		})
	}
	for _, c := range r.chains {
		writers.Go(func() {
			if err := c.write(context.Background(), s); err != nil {
				t.Error(err)
			}
		})
	}
	select {
	case <-first:
	case <-time.After(10 * time.Second):
		t.Error("no write was acknowledged within 10 s")
	}
	time.Sleep(life)
	p.Kill()
	writers.Wait()
}

func (r *run) auditChains(t *testing.T, s *server) {
	t.Helper()
	var audits sync.WaitGroup
	for i, c := range r.chains {
		audits.Go(func() {
			if err := c.audit(t.Context(), s); err != nil {
				t.Errorf("chain %d: %v", i, err)
			}
		})
	}
	audits.Wait()
}

// finish audits the whole ledger after the last restart and ends politely.
func (r *run) finish(t *testing.T) {
	t.Helper()
	p, s := r.start(t)
	r.auditChains(t, s)
	lost := 0
	for _, token := range r.issued.list {
		if err := s.works(t.Context(), token); err != nil {
			lost++
			t.Logf("an acknowledged token is lost: %v", err)
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged tokens are lost", lost, len(r.issued.list))
	}
	acked, unknown := 0, 0
	for _, c := range r.chains {
		acked, unknown = acked+c.acked, unknown+c.unknown
	}
	t.Logf("acknowledged: %d tokens, %d refreshes; %d refreshes were cut off after their commit", len(r.issued.list),
		acked, unknown)
	// A ledger with next to nothing in it proves next to nothing.
	if len(r.issued.list) < r.kills || acked < r.kills {
		t.Errorf("the ledger is too thin: %d tokens, %d refreshes, want at least %d of each", len(r.issued.list), acked,
			r.kills)
	}
	s.close()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	if err := p.Stop(ctx); err != nil {
		t.Error(err)
	}
}
