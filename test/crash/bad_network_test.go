package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// badNetwork is one way in which the network to PostgreSQL is bad.
type badNetwork struct {
	name string
	link link
	// again resets the connections that there are so often.
	again time.Duration
}

// badNetworks are the eight of the promise; the first ones are the short form.
func badNetworks() []badNetwork {
	all := []badNetwork{
		{name: "50 ms of latency", link: link{latency: 50 * time.Millisecond}},
		{name: "connections reset again and again", again: 300 * time.Millisecond},
		{name: "cut off", link: link{cut: true}},
		{name: "500 ms of latency", link: link{latency: 500 * time.Millisecond}},
		{name: "5 s of latency", link: link{latency: 5 * time.Second}},
		{name: "10 kB a second", link: link{rate: 10_000}},
		{name: "half open: silence", link: link{silent: true}},
		{name: "half open: requests arrive, answers do not", link: link{mute: true}},
	}
	if !full() {
		return all[:3]
	}
	return all
}

// writing is how many clients write all the time.
const writing = 6

// bounds are how long a request waits for PostgreSQL at most, which is its default of five
// seconds and a little, and how soon the first write is acknowledged once the network is
// good. In make test other tests run beside it.
func bounds() (givenUp, backWithin time.Duration) {
	if full() {
		return 6 * time.Second, 2 * time.Second
	}
	return 15 * time.Second, 15 * time.Second
}

// TestBadNetwork: with every kind of bad network before PostgreSQL requests are answered
// or given up in time, writes go on soon after it is good again, nothing acknowledged is
// lost or there twice, and no goroutines stay behind. In full each lasts 30 s.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	o := startOnPostgres(t, "tasks")
	n := &networkRun{onPostgres: o, acked: map[string]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for c := range writing {
		clients.Go(func() { n.write(ctx, c) })
	}
	if err := n.awaitWrite(time.Now(), writing); err != nil {
		t.Error(err)
	}
	before := n.goroutines(t)
	for _, bad := range badNetworks() {
		n.endure(t, bad, time.Duration(often(2, 30))*time.Second)
	}
	after := n.settledGoroutines(t, before+writing)
	stop()
	clients.Wait()
	n.audit(t)
	t.Logf("%d kinds of bad network, %d writes acknowledged, the longest failure %s, back after %s at most, "+
		"%d goroutines before and %d after", len(badNetworks()), len(n.acked), n.longest.Round(10*time.Millisecond),
		n.back.Round(10*time.Millisecond), before, after)
}

type networkRun struct {
	*onPostgres
	mu       sync.Mutex
	acked    map[string]bool
	lastAck  [writing]time.Time // when each client sent its last request that was acknowledged
	failures int                // in the present network
	failed   time.Duration      // the longest of them
	longest  time.Duration      // of all networks
	back     time.Duration
}

// write adds tasks until the test ends, one after the other.
func (n *networkRun) write(ctx context.Context, client int) {
	for i := 0; ctx.Err() == nil; i++ {
		title := fmt.Sprintf("client %d task %d", client, i)
		began := time.Now()
		_, err := n.do(ctx, http.MethodPost, "/tasks/v1/lists/@default/tasks", n.tokens["tasks"],
			fmt.Sprintf(`{"title":%q}`, title))
		if ctx.Err() != nil {
			return
		}
		n.mu.Lock()
		if err == nil {
			n.acked[title] = true
			n.lastAck[client] = began
		} else {
			n.failures++
			n.failed = max(n.failed, time.Since(began))
		}
		n.mu.Unlock()
		if err != nil {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// endure lets the network be bad for a while.
func (n *networkRun) endure(t *testing.T, bad badNetwork, d time.Duration) {
	t.Helper()
	n.mu.Lock()
	n.failures, n.failed = 0, 0
	acked := len(n.acked)
	n.mu.Unlock()
	n.relay.set(bad.link)
	for until := time.Now().Add(d); time.Now().Before(until); {
		if bad.again == 0 {
			time.Sleep(d)
			break
		}
		time.Sleep(bad.again)
		n.relay.set(link{cut: true})
		n.relay.set(link{})
	}
	n.relay.set(link{})
	good := time.Now()
	err := n.awaitWrite(good, 1)
	back := time.Since(good)
	err = errors.Join(err, n.awaitWrite(good, writing))
	all := time.Since(good)
	n.mu.Lock()
	defer n.mu.Unlock()
	givenUp, backWithin := bounds()
	const round = 10 * time.Millisecond
	t.Logf("%s: %d acknowledged, %d failed, the longest after %s, back after %s, all clients after %s", bad.name,
		len(n.acked)-acked, n.failures, n.failed.Round(round), back.Round(round), all.Round(round))
	if err != nil || back > backWithin {
		t.Errorf("%s: the first write after it is acknowledged after %s, want %s: %v", bad.name, back, backWithin, err)
	}
	if n.failed > givenUp {
		t.Errorf("%s: a request failed after %s, want %s at most", bad.name, n.failed, givenUp)
	}
	n.longest, n.back = max(n.longest, n.failed), max(n.back, back)
}

// awaitWrite waits until writes of so many clients that were sent after a time are
// acknowledged.
func (n *networkRun) awaitWrite(since time.Time, clients int) error {
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		n.mu.Lock()
		there := 0
		for _, at := range n.lastAck {
			if at.After(since) {
				there++
			}
		}
		n.mu.Unlock()
		if there >= clients {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("for a minute writes of %d clients are acknowledged, want %d", there, clients)
		}
	}
}

// goroutines is how many the server has.
func (n *networkRun) goroutines(t *testing.T) (count int) {
	t.Helper()
	response, err := n.http.Get(n.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\ngo_goroutines ")
	if _, err := fmt.Sscan(rest, &count); err != nil {
		t.Fatalf("no count of goroutines in %.200s: %v", rest, err)
	}
	return count
}

// settledGoroutines waits until there are not more than a number.
func (n *networkRun) settledGoroutines(t *testing.T, most int) (count int) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if count = n.goroutines(t); count <= most {
			return count
		}
		if time.Now().After(until) {
			t.Errorf("%d goroutines are left, want %d at most", count, most)
			return count
		}
	}
}

// audit: every acknowledged task is there once, every other at most once.
func (n *networkRun) audit(t *testing.T) {
	t.Helper()
	found := map[string]int{}
	for page := ""; ; {
		text, err := n.do(t.Context(), http.MethodGet,
			"/tasks/v1/lists/@default/tasks?maxResults=100&pageToken="+page, n.tokens["tasks"], "")
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			NextPageToken string
			Items         []struct{ Title string }
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			found[item.Title]++
		}
		if page = list.NextPageToken; page == "" {
			break
		}
	}
	for title := range n.acked {
		if found[title] == 0 {
			t.Errorf("%q was acknowledged and is lost", title)
		}
	}
	for title, times := range found {
		if times > 1 {
			t.Errorf("%q was sent once and is there %d times", title, times)
		}
	}
}
