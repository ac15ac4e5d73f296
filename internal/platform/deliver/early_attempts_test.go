package deliver_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
)

// numbered is a message that says which it is.
func numbered(r *delivertest.Receiver, channel, number string) deliver.Message {
	return deliver.Message{Channel: channel, Owner: "ada", URL: r.URL, Header: map[string]string{"Number": number}}
}

// since are the numbers of what came in after the first requests.
func since(r *delivertest.Receiver, first int) (numbers []string) {
	for _, got := range r.Requests()[first:] {
		numbers = append(numbers, got.Header.Get("Number"))
	}
	return numbers
}

// failUntil lets a message fail so often that the next attempt is minutes away, and gives how many requests that took.
func failUntil(w *world, r *delivertest.Receiver, m deliver.Message) (id string, requests int) {
	r.Reply(delivertest.Answer(http.StatusServiceUnavailable))
	id = w.enqueue(m)[0]
	w.advance(time.Minute)
	return id, len(r.Requests())
}

// A receiver that is well again gets what waited as soon as there is something new, in the old order.
func TestNewMessageWakesItsChannel(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		id, before := failUntil(w, r, numbered(r, "c", "1"))
		if d := w.get(id); d.NextAttempt.Sub(w.clock.Now()) < time.Minute {
			t.Fatalf("the next attempt is at %v, too early for this test", d.NextAttempt)
		}
		r.Reply(delivertest.Answer(http.StatusOK))
		w.enqueue(numbered(r, "c", "2"))
		w.advance(time.Second)
		if diff := cmp.Diff([]string{"1", "2"}, since(r, before)); diff != "" {
			t.Errorf("after the new message (-want +got):\n%s", diff)
		}
	})
}

// News for a receiver that still fails cost no planned attempt and at most one call a second.
func TestEarlyAttemptsAreExtra(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		id, before := failUntil(w, r, numbered(r, "c", "1"))
		planned := w.get(id)
		for range 20 {
			w.enqueue(numbered(r, "c", "2"))
		}
		w.advance(time.Second)
		if got := len(since(r, before)); got != 1 {
			t.Errorf("%d early attempts, want 1", got)
		}
		d := w.get(id)
		if d.Attempts != planned.Attempts || !d.NextAttempt.Equal(planned.NextAttempt) || d.State != deliver.Pending {
			t.Errorf("after an early attempt: %+v, want as planned: %+v", d, planned)
		}
		w.advance(planned.NextAttempt.Sub(w.clock.Now()))
		if got := w.get(id); got.Attempts != planned.Attempts+1 {
			t.Errorf("%d attempts after the planned time, want %d", got.Attempts, planned.Attempts+1)
		}
	})
}

// The receiver's first answer to one channel wakes its others of the same owner, and not those of another.
func TestAnswerWakesTheReceiversChannels(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		_, _ = failUntil(w, r, numbered(r, "a", "1"))
		_, _ = failUntil(w, r, numbered(r, "b", "2"))
		other := numbered(r, "x", "3")
		other.Owner = "grace"
		_, before := failUntil(w, r, other)
		r.Reply(delivertest.Answer(http.StatusOK))
		w.enqueue(numbered(r, "new", "4"))
		w.advance(time.Second)
		got := since(r, before)
		if len(got) != 3 || got[0] != "4" {
			t.Fatalf("within a second of the first answer came %v, want 4, then 1 and 2", got)
		}
		if got[1]+got[2] != "12" && got[1]+got[2] != "21" {
			t.Errorf("woken were %v, want 1 and 2", got[1:])
		}
	})
}

// What an owner has waiting for a receiver that is dead does not keep the messages for another one from being woken,
// however many there are.
func TestAnswerWakesAmongManyOfAnother(t *testing.T) {
	each(t, func(t *testing.T, w *world, r *delivertest.Receiver) {
		var dead []deliver.Message
		for i := range 300 {
			dead = append(dead, deliver.Message{Channel: fmt.Sprintf("dead %d", i), Owner: "ada", URL: "https://127.0.0.1:1/x"})
		}
		w.enqueue(dead...)
		w.advance(time.Minute) // their next attempts are planned before that of the message below
		_, before := failUntil(w, r, numbered(r, "a", "1"))
		r.Reply(delivertest.Answer(http.StatusOK))
		w.enqueue(numbered(r, "new", "2"))
		w.advance(time.Second)
		if diff := cmp.Diff([]string{"2", "1"}, since(r, before)); diff != "" {
			t.Errorf("within a second of the first answer (-want +got):\n%s", diff)
		}
	})
}
