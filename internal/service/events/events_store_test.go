package events_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/events"
)

// generous lets tests poll as fast as they can.
func generous() events.Config {
	c := events.DefaultConfig()
	c.Limits.User, c.Limits.Points, c.Limits.CPU = 1<<40, 1<<40, 1000*time.Hour
	c.Limits.Anonymous, c.Limits.BanAfter = 1<<40, 0
	return c
}

// TestNoEventHidden is promise 8: with writers and pollers at work, a client that
// knows that an event is recorded finds it, and pollers that only fetch when
// their tag no longer matches miss none.
func TestNoEventHidden(t *testing.T) {
	t.Parallel()
	t.Run("one process", func(t *testing.T) {
		t.Parallel()
		noEventHidden(t, 15, open(t, "", generous()))
	})
	t.Run("two processes", func(t *testing.T) {
		t.Parallel()
		url := databasetest.PostgresURL(t)
		noEventHidden(t, 6, open(t, url, generous()), open(t, url, generous()))
	})
}

// noEventHidden has every writer record so many events; all together are fewer
// than a timeline holds.
func noEventHidden(t *testing.T, each int, servers ...*testServer) {
	const writers, pollers = 8, 8
	first := servers[0]
	r := first.repo(t, "ada", "busy", false)
	ada := first.actor("ada")
	tokens := make([]string, writers)
	for i := range tokens {
		tokens[i] = first.Token("user" + strconv.Itoa(i))
	}
	paths := []string{
		"/events?per_page=100", "/repos/ada/busy/events?per_page=100", "/users/ada/events?per_page=100",
		"/networks/ada/busy/events?per_page=100",
	}
	done, news := make(chan struct{}), make(chan struct{}, pollers)
	var writing, polling sync.WaitGroup
	var mu sync.Mutex
	var recorded []string
	for i := range writers {
		h := servers[i%len(servers)]
		token := tokens[i]
		writing.Go(func() {
			for n := range each {
				path := paths[n%len(paths)]
				other := servers[(i+n)%len(servers)]
				tag := other.get(path, token).Header().Get("Etag")
				id := h.star(t, r, ada)
				w := other.get(path, token, "If-None-Match: "+tag)
				if w.Code != http.StatusOK || !slices.Contains(idsOf(t, w), id) {
					t.Errorf("event %s is recorded, and %s answers %d without it", id, path, w.Code)
				}
				mu.Lock()
				recorded = append(recorded, id)
				mu.Unlock()
				select {
				case news <- struct{}{}:
				default: // enough pollers are awake
				}
			}
		})
	}
	seen := make([]map[string]bool, pollers)
	for i := range pollers {
		h := servers[i%len(servers)]
		seen[i] = map[string]bool{}
		polling.Go(func() { poll(t, h, paths[i%len(paths)], tokens[i], seen[i], news, done) })
	}
	writing.Wait()
	close(done)
	polling.Wait()
	for i, got := range seen {
		for _, id := range recorded {
			if !got[id] {
				t.Fatalf("poller %d missed event %s", i, id)
			}
		}
	}
}

// poll asks after each write, and fetches when its tag no longer matches; once
// more when all is done.
func poll(t *testing.T, h *testServer, path, token string, seen map[string]bool, news, done <-chan struct{}) {
	tag := ""
	for last := false; ; {
		select {
		case <-done:
			last = true
		case <-news:
		}
		w := h.get(path, token, "If-None-Match: "+tag)
		switch w.Code {
		case http.StatusOK:
			tag = w.Header().Get("Etag")
			// A page holds fewer than all: the others are looked at too.
			for page := 1; page <= 3; page++ {
				for _, id := range idsOf(t, h.get(path+"&page="+strconv.Itoa(page), token)) {
					seen[id] = true
				}
			}
		case http.StatusNotModified:
		default:
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
			return
		}
		if last {
			return
		}
	}
}

// TestNeverOneTooMany is promise 7 for the primary limit, in one process and
// in two that share a database.
func TestNeverOneTooMany(t *testing.T) {
	t.Parallel()
	c := generous()
	c.Limits.User, c.Limits.BanAfter = 50, 0
	t.Run("one process", func(t *testing.T) {
		t.Parallel()
		neverOneTooMany(t, c, open(t, "", c))
	})
	t.Run("two processes", func(t *testing.T) {
		t.Parallel()
		url := databasetest.PostgresURL(t)
		neverOneTooMany(t, c, open(t, url, c), open(t, url, c))
	})
}

func neverOneTooMany(t *testing.T, c events.Config, servers ...*testServer) {
	token := servers[0].Token("ada")
	var wait sync.WaitGroup
	var mu sync.Mutex
	counts := map[int]int64{}
	for i := range 8 {
		h := servers[i%len(servers)]
		wait.Go(func() {
			for range 15 {
				tag := ""
				if i%2 == 0 {
					tag = `"a tag that never matches"`
				}
				code := h.get("/events", token, "If-None-Match: "+tag).Code
				mu.Lock()
				counts[code]++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if counts[http.StatusOK] != c.Limits.User || counts[http.StatusForbidden] != 8*15-c.Limits.User {
		t.Errorf("got %v, want %d served and the rest refused", counts, c.Limits.User)
	}
}

func TestSweep(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "old", false)
		h.Clock.Advance(20 * 24 * time.Hour)
		kept := h.star(t, r, h.actor("ada"))
		h.Clock.Advance(11 * 24 * time.Hour)
		if err := h.service.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(idsOf(t, h.get("/events", ""))); got != "["+kept+"]" {
			t.Errorf("after the sweep: got %s, want [%s]", got, kept)
		}
		var n int64
		err := h.World.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM events_events`).Scan(&n)
		if err != nil || n != 1 {
			t.Errorf("stored: got %d %v, want 1", n, err)
		}
	})
}
