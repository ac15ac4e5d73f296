package linear_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// history records what clients did, by the machine's clock.
type history struct {
	mu    sync.Mutex
	began time.Time
	acts  []porcupine.Operation
}

// act runs f and records what it says; a nil output is an act that leaves no trace, and
// unknown one whose answer did not come.
func (h *history) act(client int, input any, f func() (output any, unknown bool)) {
	call := time.Since(h.began).Nanoseconds()
	output, unknown := f()
	end := time.Since(h.began).Nanoseconds()
	if unknown {
		end = math.MaxInt64
	}
	if output == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acts = append(h.acts, porcupine.Operation{ClientId: client, Input: input, Output: output, Call: call, Return: end})
}

var acting = flag.Duration("for", 0,
	"how long clients act, all histories together; 0 is one history of each kind")

// actsEach is what a client does in a history.
const actsEach = 30

// clients is how many act at a time.
func clients() int {
	if *acting > 0 {
		return 8
	}
	return 5
}

// drive lets clients act at the same time, kills a node or restarts the database when a
// third of the acts are done, if it may, pauses a node when two thirds are, and checks the
// history.
func drive(
	t *testing.T, c *cluster, model porcupine.Model, kills bool, act func(h *history, client int, r *rand.Rand),
) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	h := &history{began: time.Now()}
	var work sync.WaitGroup
	var once, twice sync.Once
	third, second := make(chan struct{}), make(chan struct{})
	for client := range clients() {
		work.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range actsEach {
				act(h, client, r)
				c.awaitDatabase()
				switch i {
				case actsEach / 3:
					once.Do(func() { close(third) })
				case 2 * actsEach / 3:
					twice.Do(func() { close(second) })
				}
			}
		})
	}
	<-third
	if kills {
		c.disturb(t)
	}
	<-second
	c.pause(t, 0)
	work.Wait()
	c.acted += time.Since(h.began)
	h.check(t, model, seed)
	c.awaitReady(t)
}

// check looks for an order that explains the history.
func (h *history) check(t *testing.T, model porcupine.Model, seed uint64) {
	t.Helper()
	known := 0
	for _, a := range h.acts {
		if a.Return != math.MaxInt64 {
			known++
		}
	}
	result := porcupine.CheckOperationsTimeout(model, h.acts, time.Minute)
	t.Logf("%d acts, %d answered: %s", len(h.acts), known, result)
	if known < clients()*actsEach/2 {
		t.Errorf("only %d acts were answered: the history says too little", known)
	}
	if result != porcupine.Ok {
		for _, a := range h.acts {
			t.Logf("client %d, %d to %d: %v, %v", a.ClientId, a.Call, a.Return, a.Input, a.Output)
		}
		t.Errorf("seed %d: no order of these acts explains what was answered (%s)", seed, result)
	}
}
