package lab_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
)

// consumer is told that a calendar has changed and reads what is new since it last looked.
type consumer struct {
	mu     sync.Mutex
	client *http.Client
	events *http.Request
	seen   map[string]int
}

func (c *consumer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var page struct {
		NextSyncToken string
		Items         []struct{ Summary string }
	}
	answer, err := c.client.Do(c.events)
	if err != nil || json.NewDecoder(answer.Body).Decode(&page) != nil || answer.Body.Close() != nil {
		http.Error(w, "try again", http.StatusServiceUnavailable)
		return
	}
	c.events.URL.RawQuery = url.Values{"syncToken": {page.NextSyncToken}}.Encode()
	for _, item := range page.Items {
		c.seen[item.Summary]++
	}
}

// A consumer of the calendar's messages has a receiver that fails three times. The calendar tries again, later
// each time; a day of the world's clock is over in a moment, and the consumer has every change, once.
func TestStoryWebhook(t *testing.T) {
	t.Parallel()
	w := story(t)
	shop := &consumer{client: w.control.http, events: w.newRequest(t, calendarEvents), seen: map[string]int{}}
	failures := make(chan int, 3)
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		select {
		case failures <- http.StatusServiceUnavailable:
			rw.WriteHeader(http.StatusServiceUnavailable)
		default:
			shop.ServeHTTP(rw, r)
		}
	}))
	defer receiver.Close()
	watch(t, w, receiver.URL)

	for _, summary := range []string{"milk", "bread", "salt"} {
		w.ask(t, "POST", calendarEvents, "", `{"summary":"`+summary+`",`+wholeDay+`}`).want(t, http.StatusOK)
		w.settle(t)
	}
	w.move(t, "advance", `{"by":"1d"}`)

	shop.mu.Lock()
	defer shop.mu.Unlock()
	if len(failures) != 3 || shop.seen["milk"] != 1 || shop.seen["bread"] != 1 || shop.seen["salt"] != 1 {
		t.Errorf("after %d failures the consumer saw %v", len(failures), shop.seen)
	}
	w.wellBehaved(t)
}
