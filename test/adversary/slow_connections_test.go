package adversary_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What a slow connection may last and cost, and how much longer the good clients may wait.
const (
	maxHeld    = 10 * time.Second
	maxMore    = 64 << 20 // resident, of all of them: buffers, stacks, garbage
	timesIdle  = 3        // p99 beside them by p99 without
	shortSlack = 15 * time.Second
	// perSlow is what one may cost in the short form, in which other tests run beside it.
	perSlow = 128 << 10
)

// slowForm is how many slow connections are held beside how many good clients.
type slowForm struct {
	slow, good, perSecond int
	idle, attack          time.Duration
}

func formOfSlow() slowForm {
	if *full {
		return slowForm{slow: 2_000, good: 100, perSecond: 400, idle: 15 * time.Second, attack: 30 * time.Second}
	}
	return slowForm{slow: 120, good: 10, perSecond: 120, idle: 2 * time.Second, attack: 2 * time.Second}
}

// TestSlowConnections holds slow connections beside good clients and opens each that is closed again. They are closed
// in time and cost little memory, and every request of the good clients is answered. In full 2,000 of them are held
// for half a minute beside 100 clients that wait no longer than three times what they wait without: there the
// server has a processor of its own, and the clients and the slow connections, two programs, have the other.
func TestSlowConnections(t *testing.T) {
	f, s := formOfSlow(), start(t)
	if *full {
		separate(t, s.process.PID())
	}
	watch, stopWatch := context.WithCancel(t.Context())
	defer stopWatch()
	var highest atomic.Int64
	go s.sample(watch, &highest)
	var waits waitTimes
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range f.good {
		clients.Go(func() { waits.ask(t, s, stop) })
	}
	time.Sleep(3 * time.Second) // connections are opened, caches fill
	waits.take()
	highest.Store(0)
	time.Sleep(f.idle)
	idle, before := waits.take(), highest.Load()
	kinds := s.holdSlowly(t, f)
	during, peak := waits.take(), highest.Load()
	close(stop)
	clients.Wait()

	var longest time.Duration
	opened, left := 0, 0
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		opened, left, longest = opened+k.Opened, left+k.Left, max(longest, k.Longest)
		t.Logf("slow %s: opened %d, held for %s at most, %d not closed", name, k.Opened,
			k.Longest.Round(100*time.Millisecond), k.Left)
	}
	t.Logf("%d slow connections beside %d clients: opened %d times, each closed after %s, p99 %s before and %s during, "+
		"memory %d MiB before and %d at most", f.slow, f.good, opened, longest.Round(100*time.Millisecond),
		idle.Round(time.Millisecond/10), during.Round(time.Millisecond/10), before>>20, peak>>20)
	most, maxGrowth := maxHeld, int64(maxMore)
	if !*full {
		most, maxGrowth = most+shortSlack, int64(f.slow)*perSlow+overhead
	}
	if left > 0 || longest > most {
		t.Errorf("%d slow connections were not closed, the others after %s; want %s at most", left, longest, most)
	}
	if more := peak - before; more > maxGrowth {
		t.Errorf("memory rose by %d MiB, want at most %d", more>>20, maxGrowth>>20)
	}
	if *full && during > timesIdle*idle {
		t.Errorf("the good clients waited %s (p99), and %s without, want at most %d times as long", during, idle, timesIdle)
	}
}

// holdSlowly has a process of its own hold slow connections, and says how they ended.
func (s *server) holdSlowly(t *testing.T, f slowForm) map[string]slowKind {
	t.Helper()
	plan, err := json.Marshal(slowPlan{
		URL: s.target.URL, Token: s.target.Env["STOA_TOKEN"],
		Connections: f.slow, PerSecond: f.perSecond, For: f.attack,
	})
	if err != nil {
		t.Fatal(err)
	}
	// The good clients, which are measured, go first where both want the processor.
	cmd := exec.CommandContext(t.Context(), "nice", "-n", "10", os.Args[0])
	var refused bytes.Buffer
	cmd.Env, cmd.Stderr = append(os.Environ(), slowEnv+"="+string(plan)), &refused
	text, err := cmd.Output()
	kinds := map[string]slowKind{}
	if err == nil {
		err = json.Unmarshal(text, &kinds)
	}
	if err != nil {
		t.Fatalf("the slow connections: %v %s %s", err, text, refused.Bytes())
	}
	return kinds
}

// separate gives the server one of two processors and this process, and those that it starts, the other. With more
// than two the rest is idle.
func separate(t *testing.T, server int) {
	t.Helper()
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	var usable []int
	for n := range 1024 {
		if all.IsSet(n) {
			usable = append(usable, n)
		}
	}
	if len(usable) < 2 {
		t.Fatal("the full form needs two processors")
	}
	var one, other unix.CPUSet
	one.Set(usable[0])
	other.Set(usable[1])
	bind(t, server, &one)
	bind(t, os.Getpid(), &other)
	t.Cleanup(func() { bind(t, os.Getpid(), &all) })
}

// bind has all threads of a process, and those that they start, run on some processors.
func bind(t *testing.T, pid int, on *unix.CPUSet) {
	t.Helper()
	for range 2 { // a thread may begin meanwhile
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil {
				t.Fatal(err)
			}
			_ = unix.SchedSetaffinity(id, on) // the thread may have ended
		}
	}
}

// waitTimes are how long good clients wait.
type waitTimes struct {
	mu  sync.Mutex
	all []time.Duration
}

// ask sends one request after the other, with pauses.
func (w *waitTimes) ask(t *testing.T, s *server, stop <-chan struct{}) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	for {
		select {
		case <-stop:
			return
		case <-time.After(200 * time.Millisecond):
		}
		began := time.Now()
		if err := s.askOnce(client); err != nil {
			t.Errorf("a good client: %v", err)
			return
		}
		w.mu.Lock()
		w.all = append(w.all, time.Since(began))
		w.mu.Unlock()
	}
}

func (s *server) askOnce(client *http.Client) error {
	r, err := http.NewRequest(http.MethodGet, s.target.URL+"/tasks/v1/users/@me/lists", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.target.Env["STOA_GUEST_TOKEN"])
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read whole
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d: %w", response.StatusCode, err)
	}
	return nil
}

// take is what 99 of 100 waited at most since the last time.
func (w *waitTimes) take() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.all) == 0 {
		return 0
	}
	slices.Sort(w.all)
	p99 := w.all[min(len(w.all)*99/100, len(w.all)-1)]
	w.all = nil
	return p99
}
