package lab_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// pollEvents reads a feed n times, at the pace that the service asks for, and returns what it showed last.
func pollEvents(client *http.Client, feed *http.Request, n int, sleep func(time.Duration)) (latest []any, _ error) {
	for ; n > 0; n-- {
		answer, err := client.Do(feed)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode == http.StatusOK {
			err = json.NewDecoder(answer.Body).Decode(&latest)
			feed.Header.Set("If-None-Match", answer.Header.Get("ETag"))
		}
		pause, _ := strconv.Atoi(cmp.Or(answer.Header.Get("Retry-After"), answer.Header.Get("X-Poll-Interval"), "60"))
		sleep(time.Duration(pause) * time.Second)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return nil, err
		}
	}
	return latest, nil
}

// A poller of the events feed meets a secondary limit. It waits as long as it is told, goes on, and asks with the
// entity tag of what it has: the report on its conduct is clean.
func TestStoryPoller(t *testing.T) {
	t.Parallel()
	w := story(t)
	w.fault(t, `{"match":{"operation":"list_public_events"},"when":{"nth":2},"deed":{"fault":"secondary_rate_limit"}}`)

	events, err := pollEvents(w.control.http, w.newRequest(t, "/events"), 5, w.sleep(t))

	if err != nil || len(events) == 0 {
		t.Errorf("%d events, %v", len(events), err)
	}
	w.expect(t, `{"calls":{"operation":"list_public_events"},"exactly":5,"noCloserThan":"60s"}`)
	w.expect(t, `{"calls":{"operation":"list_public_events","status":304},"atLeast":3}`)
	w.wellBehaved(t)
}
