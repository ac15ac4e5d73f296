package simulation

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
)

// receiver is told of changes, and misbehaves as its seed says: it fails, or ends the
// connection without an answer, before or after it has heard the message.
type receiver struct {
	seed   uint64
	server *httptest.Server

	mu      sync.Mutex
	healthy bool
	heard   map[string]*heard // by channel
}

// heard is what one channel was told.
type heard struct {
	last     int64 // the highest number that was answered with success
	attempts map[int64]int
	states   map[int64]string
	accepted bool // whether the last attempt was answered with success
	repeated int  // messages that came again after they were answered with success
	wrong    []string
}

func newReceiver(seed uint64) *receiver {
	r := &receiver{seed: seed, heard: map[string]*heard{}}
	r.server = httptest.NewServer(http.HandlerFunc(r.take))
	return r
}

// mood draws what becomes of an attempt. It does not depend on the order of arrivals.
func (r *receiver) mood(channel string, number int64, attempt int) int {
	if r.healthy || attempt > 2 {
		return 100 // so that no message runs out of attempts
	}
	h := fnv.New64a()
	fmt.Fprint(h, r.seed, channel, number, attempt)
	return int(h.Sum64() % 100)
}

func (r *receiver) take(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	channel := q.Header.Get("X-Vendor-Channel-Id")
	number, err := strconv.ParseInt(q.Header.Get("X-Vendor-Message-Number"), 10, 64)
	c := r.heard[channel]
	if c == nil {
		c = &heard{attempts: map[int64]int{}, states: map[int64]string{}}
		r.heard[channel] = c
	}
	state := q.Header.Get("X-Vendor-Resource-State")
	c.attempts[number]++
	switch first, again := c.states[number]; {
	case err != nil || (state == "sync") != (number == 1):
		c.wrong = append(c.wrong, fmt.Sprintf("P3: number %d with state %s", number, state))
	case number > c.last+1:
		c.wrong = append(c.wrong, fmt.Sprintf("P3: number %d came while %d was the last", number, c.last))
	case number < c.last:
		c.wrong = append(c.wrong, fmt.Sprintf("P3: number %d came after %d", number, c.last))
	case again && first != state:
		c.wrong = append(c.wrong, fmt.Sprintf("P4: number %d came again as another message", number))
	case number == c.last && c.accepted:
		c.repeated++
	}
	// What is refused now comes again, however often it was accepted before.
	c.states[number], c.accepted = state, false
	switch n := r.mood(channel, number, c.attempts[number]); {
	case n < 15:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case n < 22:
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
	c.last, c.accepted = max(c.last, number), true
	w.WriteHeader(http.StatusNoContent)
}

// recover lets everything through that still waits.
func (r *receiver) recover() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.healthy = true
}
