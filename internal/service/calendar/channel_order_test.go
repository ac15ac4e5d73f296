package calendar_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/jobs"
)

var channels = flag.Int("channels", 30, "how many channels watch one calendar")

// notes are the messages that a receiver took, by channel.
type notes struct {
	mu      sync.Mutex
	tried   map[string]int
	taken   map[string][]string // "number state"
	stopped map[string]int      // how many it had when the stop was answered
}

// take answers each seventh message with an error at first.
func (n *notes) take(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id, number := r.Header.Get("X-Vendor-Channel-Id"), r.Header.Get("X-Vendor-Message-Number")
	key := id + " " + number
	if n.tried[key]++; n.tried[key] == 1 && len(n.tried)%7 == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	n.taken[id] = append(n.taken[id], number+" "+r.Header.Get("X-Vendor-Resource-State"))
}

func (n *notes) stop(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopped[id] = len(n.taken[id])
}

// TestChannelsInOrder: of many channels each gets sync first and rising numbers, though calls fail and many workers
// send, and after its stop no more than what was under way.
func TestChannelsInOrder(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		got := &notes{tried: map[string]int{}, taken: map[string][]string{}, stopped: map[string]int{}}
		receiver := delivertest.NewReceiver(t)
		receiver.Reply(got.take)
		queue := deliverTo(t, ada, receiver)
		made := map[string]object{}
		for i := range *channels {
			id := fmt.Sprint("c", i)
			made[id] = ada.do(t, 200, "POST", "/calendars/primary/events/watch", object{
				"id": id, "type": "web_hook", "address": receiver.URL + "/" + id,
			})
		}
		for n := range 3 {
			ada.insert(t, event(fmt.Sprint("before ", n), "2026-03-10", 9))
		}
		for i := 0; i < *channels; i += 3 {
			id := fmt.Sprint("c", i)
			ada.do(t, 204, "POST", "/channels/stop", object{"id": id, "resourceId": made[id]["resourceId"]})
			got.stop(id)
		}
		for n := range 3 {
			ada.insert(t, event(fmt.Sprint("after ", n), "2026-03-11", 9))
		}
		v := ada.h.Clock
		for range 4 { // retries wait on the clock
			if err := queue.AdvanceJobsTo(t.Context(), v, v.Now().Add(10*time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		if err := queue.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		got.check(t, *channels, 7)
	})
}

// deliverTo has the messages of a server sent to a receiver by started workers.
func deliverTo(t *testing.T, ada *client, r *delivertest.Receiver) *jobs.Queue {
	t.Helper()
	to, err := deliver.NewClient(r.Config, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Close() })
	w := ada.h.World
	queue := jobs.New(jobs.Options{DB: w.DB, Clock: w.Clock, IDs: w.IDs})
	w.Deliver = deliver.New(deliver.Options{DB: w.DB, Jobs: queue, Clock: w.Clock, IDs: w.IDs, Seal: w.Seal, Client: to})
	queue.Register(w.Deliver.Jobs()...)
	if err := queue.Start(context.Background(), 4); err != nil {
		t.Fatal(err)
	}
	return queue
}

// check compares what each channel got: all of want messages, or what it had at its stop and one under way.
func (n *notes) check(t *testing.T, channels, want int) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range channels {
		id := fmt.Sprint("c", i)
		taken := n.taken[id]
		for k, text := range taken {
			state := "exists"
			if k == 0 {
				state = "sync"
			}
			if text != strconv.Itoa(k+1)+" "+state {
				t.Errorf("channel %s got %v, want sync and then each number once", id, taken)
				break
			}
		}
		at, stopped := n.stopped[id]
		if stopped && len(taken) > at+1 || !stopped && len(taken) != want {
			t.Errorf("channel %s got %d messages, stopped %v at %d, want %d without a stop", id, len(taken), stopped, at, want)
		}
	}
	failed := 0
	for _, calls := range n.tried {
		failed += calls - 1
	}
	if t.Logf("%d channels, %d messages, %d calls that failed", channels, len(n.tried), failed); failed == 0 {
		t.Error("no call failed")
	}
}
