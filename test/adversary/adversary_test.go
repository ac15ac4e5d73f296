package adversary_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/test/adversary"
	"stoa.dev/stoa/test/program"
)

var (
	full    = flag.Bool("full", false, "send every attack, against the release build")
	service = flag.String("service", "", "attack this service only")
)

const (
	connections = 16
	// memoryLimit is what the server is told that it has.
	memoryLimit = 1 << 30
	// overhead is what the process may use beyond its idle size and the budget.
	overhead = 100 << 20
	// sample is how many attacks of each service the short form sends.
	sample = 12
)

// TestAdversary: whatever is sent, the process lives, its memory stays within
// the budget, and a caller beside the attack is answered.
func TestAdversary(t *testing.T) {
	s := start(t)
	attacks := choose(t, *full)
	t.Logf("%d attacks", len(attacks))

	idle := s.memory(t)
	watch, stop := context.WithCancel(t.Context())
	defer stop()
	bystander := &adversary.Bystander{}
	done := make(chan struct{})
	go func() { defer close(done); bystander.Watch(watch, 50*time.Millisecond, s.bystander) }()
	var highest atomic.Int64
	culprit := &atomic.Pointer[string]{}
	sampled := make(chan struct{})
	go func() { defer close(sampled); s.sample(watch, &highest) }()

	statuses := map[int]int{}
	var slowest []adversary.Outcome
	s.target.Drive(t.Context(), attacks, connections, func(o adversary.Outcome) {
		statuses[o.Status]++
		slowest = append(slowest, o)
		if o.Status >= 500 && o.Status != http.StatusServiceUnavailable && o.Status != http.StatusNotImplemented {
			t.Errorf("%s: answered %d after %s", o.Attack, o.Status, o.Took)
		}
		if peak := highest.Load(); peak > idle+budgetTotal()+overhead && culprit.Load() == nil {
			name := o.Attack.String()
			culprit.Store(&name)
		}
	})
	s.stall(t)
	stop()
	<-done
	<-sampled

	slices.SortFunc(slowest, func(a, b adversary.Outcome) int { return int(b.Took - a.Took) })
	for _, o := range slowest[:min(10, len(slowest))] {
		t.Logf("%8s %d %s %v", o.Took.Round(time.Millisecond), o.Status, o.Attack, o.Err)
	}
	t.Logf("answers by status: %v", statuses)
	t.Logf("memory: %d MiB idle, %d MiB at most; bystander: %d questions, p50 %s, p99 %s, max %s", idle>>20,
		highest.Load()>>20,
		bystander.Asked(), bystander.Percentile(.5), bystander.Percentile(.99), bystander.Percentile(1))
	if peak, most := highest.Load(), idle+budgetTotal()+overhead; peak > most {
		name := "unknown"
		if c := culprit.Load(); c != nil {
			name = *c
		}
		t.Errorf("memory reached %d MiB, want at most %d MiB; first seen above it at %s", peak>>20, most>>20, name)
	}
	if p99 := bystander.Percentile(.99); p99 > patience() {
		t.Errorf("the bystander waited %s (p99), want at most %s", p99, patience())
	}
	if failed := bystander.Failed(); len(failed) > 0 {
		t.Errorf("%d questions of the bystander failed, the first: %s", len(failed), failed[0])
	}
	if err := s.process.Stop(context.Background()); err != nil {
		t.Errorf("the server did not survive: %v", err)
	}
}

func budgetTotal() int64 { return budget.MemoryOptions(memoryLimit).Total }

// patience is how long the bystander may wait. In make test other tests run beside it.
func patience() time.Duration {
	if !*full {
		return 10 * time.Second
	}
	return time.Second
}

// choose is all attacks, or the same sample every time: of each operation some
// attacks, spread over all kinds.
func choose(t *testing.T, all bool) []adversary.Attack {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	operations, err := adversary.Operations(app.Tables(), filepath.Join(root, "docs", "openapi"))
	if err != nil {
		t.Fatal(err)
	}
	byService := map[string][]adversary.Attack{}
	for _, o := range operations {
		if *service != "" && o.Service != *service {
			continue
		}
		byService[o.Service] = append(byService[o.Service], o.Attacks()...)
	}
	var chosen []adversary.Attack
	for _, name := range slices.Sorted(maps.Keys(byService)) {
		step := 1
		if !all {
			step = max(len(byService[name])/sample, 1)
		}
		for i := 0; i < len(byService[name]); i += step {
			chosen = append(chosen, byService[name][i])
		}
	}
	return chosen
}

// server is one demo server under attack.
type server struct {
	process *program.Process
	target  adversary.Target
}

func start(t *testing.T) *server {
	t.Helper()
	build := program.Build
	if *full {
		build = program.BuildRelease
	}
	binary, err := build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The tests themselves may be run with collections that are rarer.
	return startOn(t, t.TempDir(), binary, binary, fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit), "GOGC=100")
}

// startOn starts the demo server by a program that may be a script around the binary.
func startOn(t *testing.T, dir, binary, starter string, settings ...string) *server {
	t.Helper()
	data, config := filepath.Join(dir, "data"), filepath.Join(dir, "stoa.yaml")
	if err := os.WriteFile(config, withoutRates(t, binary), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := program.Start(t.Context(), program.Options{
		Binary: starter, Data: data, Args: []string{"--demo", "--config", config}, Env: settings,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	env, err := program.DemoEnv(data)
	if err != nil {
		t.Fatal(err)
	}
	return &server{process: p, target: adversary.Target{URL: p.URL, Env: env}}
}

// withoutRates is the default configuration with every rate limit lifted: an
// attack that is refused for its number shows nothing.
func withoutRates(t *testing.T, binary string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "config", "print", "--data", t.TempDir())
	cmd.Env = program.Environ()
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("config print: %v", err)
	}
	var all map[string]any
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	lifted := map[string]any{}
	for name, part := range all {
		section, ok := part.(map[string]any)
		if !ok {
			continue
		}
		if own := lift(section); len(own) > 0 {
			lifted[name] = own
		}
	}
	out, err := yaml.Marshal(lifted)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lift keeps the rates of a section, made large.
func lift(section map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range section {
		switch v := value.(type) {
		case map[string]any:
			if inner := lift(v); len(inner) > 0 {
				out[name] = inner
			}
		case uint64, int64, int:
			if strings.Contains(name, "_per_") {
				out[name] = math.MaxInt32
			}
		}
	}
	return out
}

// bystander asks for something small as another user.
func (s *server) bystander(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.target.URL+"/tasks/v1/users/@me/lists", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.target.Env["STOA_GUEST_TOKEN"])
	r.Close = true // a connection that waits for the next question may be closed while that is on its way
	res, err := http.DefaultClient.Do(r)
	if err != nil && ctx.Err() == nil {
		// On a machine that stands still the server gives up a connection whose header did
		// not come in time. A client asks again; how long both took counts.
		res, err = http.DefaultClient.Do(r)
	}
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d %s: %w", res.StatusCode, bytes.TrimSpace(body), err)
	}
	return nil
}

// memory is what the server uses: resident memory, or with the race detector,
// which shadows every byte several times, what its heap uses.
func (s *server) memory(t *testing.T) int64 {
	t.Helper()
	n, err := s.use()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *server) use() (int64, error) {
	if *full || !program.RaceEnabled() {
		return adversary.Resident(s.process.PID())
	}
	return adversary.Heap(s.target.URL + "/metrics")
}

func (s *server) sample(ctx context.Context, highest *atomic.Int64) {
	pace := 20 * time.Millisecond
	if program.RaceEnabled() && !*full {
		pace = 200 * time.Millisecond
	}
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if n, err := s.use(); err == nil {
				highest.Store(max(highest.Load(), n))
			}
		}
	}
}

// stall holds connections of one operation of each service open with bodies
// that hardly come, while the bystander asks.
func (s *server) stall(t *testing.T) {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	operations, err := adversary.Operations(app.Tables(), filepath.Join(root, "docs", "openapi"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := map[string]int{}
	for _, o := range operations {
		if !o.TakesBody() || seen[o.Service] > 1 || *service != "" && o.Service != *service {
			continue
		}
		seen[o.Service]++
		if err := s.target.Stall(ctx, o, connections); err != nil {
			t.Errorf("%s: %v", o, err)
		}
	}
	// However long it took to open them, all stall together for a while.
	time.Sleep(2 * time.Second)
}
