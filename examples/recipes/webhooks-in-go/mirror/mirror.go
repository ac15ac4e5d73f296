package mirror

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
)

// Mirror is the copy, and the receiver of the messages.
type Mirror struct {
	Client *http.Client
	Events string // the address of the calendar's events

	mu    sync.Mutex
	since string
	Seen  map[string]int
}

// ServeHTTP takes a message. A failure is answered, so that the message comes again.
func (m *Mirror) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.read(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	}
}

func (m *Mirror) read() error {
	query := url.Values{}
	if m.since != "" {
		query.Set("syncToken", m.since)
	}
	answer, err := m.Client.Get(m.Events + "?" + query.Encode())
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the calendar answered %s", answer.Status)
	}
	var page struct {
		NextSyncToken string
		Items         []struct{ Summary string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		return err
	}
	m.since = page.NextSyncToken
	for _, item := range page.Items {
		m.Seen[item.Summary]++
	}
	return nil
}
