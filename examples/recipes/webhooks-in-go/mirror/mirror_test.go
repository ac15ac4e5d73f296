package mirror_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recipe.example/webhooks/mirror"
	"stoa.dev/stoa/kit/go/stoatest"
)

func send(t *testing.T, client *http.Client, url, body string) {
	t.Helper()
	answer, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, answer.Status)
	}
}

const meeting = `{"summary":"milk","start":{"date":"2026-03-02"},"end":{"date":"2026-03-03"}}`

// The receiver fails three times. The calendar tries again, later each time: a day of
// the world's clock is over in a moment, and the mirror has the change once.
func TestMirror(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t, stoatest.At("2026-03-01T09:00:00Z"))
	calendar := world.Calendar()
	events := calendar.URL + "calendars/primary/events"
	kept := &mirror.Mirror{Client: calendar.HTTPClient(), Events: events, Seen: map[string]int{}}
	failures := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failures++; failures <= 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		kept.ServeHTTP(w, r)
	}))
	t.Cleanup(receiver.Close)
	send(t, kept.Client, events+"/watch", fmt.Sprintf(`{"id":"mirror","type":"web_hook","address":%q}`, receiver.URL))
	send(t, kept.Client, events, meeting)

	world.Clock.Advance(24 * time.Hour)

	if kept.Seen["milk"] != 1 || failures < 4 {
		t.Errorf("after %d messages the mirror has %v", failures, kept.Seen)
	}
	world.Expect(stoatest.Calls("calendar.events.list").AtLeast(1))
}

// Without a receiver of its own a test looks at what was sent.
func TestInbox(t *testing.T) {
	t.Parallel()
	world := stoatest.World(t)
	inbox := world.Inbox("changes", stoatest.Answer{})
	calendar := world.Calendar()
	events := calendar.URL + "calendars/primary/events"
	send(t, calendar.HTTPClient(), events+"/watch", fmt.Sprintf(`{"id":"inbox","type":"web_hook","address":%q}`, inbox.URL))
	send(t, calendar.HTTPClient(), events, meeting)
	world.Clock.Settle()
	if messages := inbox.Wait(2, 10*time.Second); messages[0].Method != http.MethodPost {
		t.Errorf("the first message is %+v", messages[0])
	}
}
