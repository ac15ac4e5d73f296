package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// feed is what one poller knows of a repository's events.
type feed struct {
	tag   string
	shown []string // ids of the last answer
	acked []string // ids of events that were acknowledged, oldest first
}

// repository is what events are about.
const repository = "ada/site"

func (s *simulated) addRepository(ctx context.Context) error {
	_, err := s.command(ctx, "repo create", map[string][]string{"repo": {repository}})
	return err
}

// happen records an event.
func (s *simulated) happen(u *user) int {
	u.count++
	body := fmt.Sprintf(`{"type":"IssuesEvent","payload":{"action":"opened","issue":`+
		`{"id":%d,"number":%d,"title":"Shade","user":{"login":"ada"}}}}`, u.count, u.count)
	w, met := s.do("POST", "/repos/"+repository+"/events", s.users[0].events, body)
	var event struct{ ID string }
	if w.Code == http.StatusCreated && json.Unmarshal(w.Body.Bytes(), &event) == nil {
		s.feed.acked = append(s.feed.acked, event.ID)
	}
	return met
}

// poll fetches the feed unless its tag still holds; an acknowledged event that the
// answer lacks was hidden (P8).
func (s *simulated) poll() int {
	w, met := s.send(request{method: "GET", path: "/repos/" + repository + "/events?per_page=100",
		credential: s.users[0].events, ifNoneMatch: s.feed.tag})
	switch w.Code {
	case http.StatusOK:
		var events []struct{ ID string }
		if err := json.Unmarshal(w.Body.Bytes(), &events); err != nil {
			s.violate("P8: the feed is %s", w.Body)
			return met
		}
		s.feed.tag, s.feed.shown = w.Header().Get("Etag"), nil
		for _, e := range events {
			s.feed.shown = append(s.feed.shown, e.ID)
		}
	case http.StatusNotModified:
	default:
		return met
	}
	recent := s.feed.acked[max(0, len(s.feed.acked)-50):]
	for _, id := range recent {
		if !slices.Contains(s.feed.shown, id) {
			s.violate("P8: event %s is not shown; the answer was %d", id, w.Code)
		}
	}
	return met
}
