package adversary_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// slowKinds begin requests that never come to their end, or answers that are not read.
func slowKinds(token string) map[string]string {
	bearer := "Authorization: Bearer " + token + "\r\n"
	page := "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
	return map[string]string{
		"header": "GET /tasks/v1/users/@me/lists HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"body": "POST /tasks/v1/lists/@default/tasks HTTP/1.1\r\nHost: x\r\n" + bearer +
			"Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{\"title\":\"",
		"read": strings.Repeat(page, 60),
	}
}

// patienceWithSlow is how long a slow connection lasts: in full until the server has closed
// all that send slowly.
func patienceWithSlow() time.Duration {
	if *full {
		return 30 * time.Second
	}
	return 4 * time.Second
}

// slowestSender is how long a header or a body that trickles may last: ten seconds, and two
// because its client looks once a second. On a busy machine the good clients wait beside them,
// and for as long as these do the end of a slow one may be late.
const slowestSender = 12 * time.Second

// perSlow is what a slow connection may cost the server.
const perSlow = 128 << 10

// TestSlowConnections: slow connections beside good clients are closed and cost a bounded
// share of memory, and every request of the good clients is answered. In full there are 2,000 of them beside 100
// clients.
func TestSlowConnections(t *testing.T) {
	s := start(t)
	slow, good := 120, 10
	if *full {
		slow, good = 2_000, 100
	}
	var waits waitTimes
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range good {
		clients.Go(func() { waits.ask(t, s, stop) })
	}
	time.Sleep(3 * time.Second)
	idle, before, open := waits.take(), s.memory(t), s.descriptors(t)
	kinds := slowKinds(s.target.Env["STOA_TOKEN"])
	began, longest, left := time.Now(), map[string]*atomic.Int64{}, atomic.Int64{}
	for kind := range kinds {
		longest[kind] = &atomic.Int64{}
	}
	var slowOnes sync.WaitGroup
	for i := range slow {
		kind := []string{"header", "body", "read"}[i%3]
		slowOnes.Go(func() {
			took, closed := drip(s.target.URL, kind, kinds[kind])
			if !closed {
				left.Add(1)
			}
			for old := longest[kind].Load(); old < int64(took) && !longest[kind].CompareAndSwap(old, int64(took)); {
				old = longest[kind].Load()
			}
		})
	}
	peak, kept := before, 0
	ended := make(chan struct{})
	go func() { slowOnes.Wait(); close(ended) }()
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		case <-time.After(100 * time.Millisecond):
			peak = max(peak, s.memory(t))
			if time.Since(began) < patienceWithSlow() {
				kept = s.descriptors(t) - open // of those that do not read, the client sees no end
			}
		}
	}
	took := time.Since(began)
	during := waits.take()
	close(stop)
	clients.Wait()
	for kind, n := range longest {
		kept := time.Duration(n.Load()).Round(100 * time.Millisecond)
		t.Logf("slow %s: kept for %s at most", kind, kept)
		if most := slowestSender + during; *full && kind != "read" && kept > most {
			t.Errorf("a slow %s was kept for %s, want at most %s", kind, kept, most)
		}
	}
	t.Logf("%d slow connections beside %d clients: %d left open, all over after %s, p99 %s before and %s during, "+
		"memory %d MiB before and %d at most", slow, good, left.Load(), took.Round(100*time.Millisecond),
		idle.Round(time.Millisecond), during.Round(time.Millisecond), before>>20, peak>>20)
	// Answers that are not read wait in the buffers of the system: as long as they fit, their
	// connections are idle, and end with the time for that.
	if *full && (left.Load() > 0 || kept > good+slow/3+1) {
		t.Errorf("%d slow connections are open after %s, and %d descriptors more than before", left.Load(),
			patienceWithSlow(), kept)
	}
	// Clients and slow connections share the machine with the server: how long the clients
	// wait is told and not judged.
	if most := before + int64(slow)*perSlow + overhead; peak > most {
		t.Errorf("memory reached %d MiB, want at most %d", peak>>20, most>>20)
	}
}

// drip opens a slow connection and reports how long the server kept it.
func drip(url, kind, begin string) (lasted time.Duration, closed bool) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return 0, true // refused
	}
	defer func() { _ = conn.Close() }()            // it may be closed already
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // a hint
	began := time.Now()
	if _, err := io.WriteString(conn, begin); err != nil {
		return time.Since(began), true
	}
	for time.Since(began) < patienceWithSlow() {
		time.Sleep(time.Second)
		if kind == "read" {
			continue // the end comes after what is on its way, and that is not read
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := conn.Read(make([]byte, 4<<10)); err != nil && !isTimeout(err) {
			return time.Since(began), true
		}
		if _, err := io.WriteString(conn, "x"); err != nil {
			return time.Since(began), true
		}
	}
	return time.Since(began), kind == "read"
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
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

// descriptors is how many files and connections the server has open.
func (s *server) descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.process.PID()))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
