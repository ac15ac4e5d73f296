package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// receiver is told of changes and notes the numbers of the messages.
type receiver struct {
	server *httptest.Server
	ca     string

	mu                        sync.Mutex
	last, repeated, reordered int
}

func newReceiver(dir string) (*receiver, error) {
	r := &receiver{ca: filepath.Join(dir, "receiver.pem")}
	r.server = httptest.NewTLSServer(http.HandlerFunc(r.handleMessage))
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
	return r, os.WriteFile(r.ca, text, 0o600)
}

// handleMessage: the same number again is a message that is repeated, any other number
// than the next is out of order.
func (r *receiver) handleMessage(w http.ResponseWriter, request *http.Request) {
	number, err := strconv.Atoi(request.Header.Get("X-Vendor-Message-Number"))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil && number == r.last+1:
		r.last = number
	case err == nil && number == r.last:
		r.repeated++
	default:
		r.reordered++
	}
	w.WriteHeader(http.StatusNoContent)
}

// eventStream inserts events with ids of its own and sends each until it is known to be
// there; every change is announced to the receiver.
type eventStream struct {
	client   *client
	calendar string
	receiver *receiver
	acked    int
}

func newEventStream(ctx context.Context, c *client, r *receiver) (*eventStream, error) {
	status, content := c.send(ctx, http.MethodPost, "/calendar/v3/calendars", `{"summary":"cluster"}`)
	var made struct{ ID string }
	if err := json.Unmarshal(content, &made); err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("a calendar: %d %s: %w", status, content, err)
	}
	s := &eventStream{client: c, calendar: "/calendar/v3/calendars/" + made.ID + "/events", receiver: r}
	status, content = c.send(ctx, http.MethodPost, s.calendar+"/watch",
		fmt.Sprintf(`{"id":"cluster","type":"web_hook","address":"%s/x"}`, r.server.URL))
	if status != http.StatusOK {
		return nil, fmt.Errorf("a channel: %d %s", status, content)
	}
	return s, nil
}

func (s *eventStream) label() string       { return "events" }
func (s *eventStream) pace() time.Duration { return 150 * time.Millisecond }

func (s *eventStream) write(ctx context.Context) (bool, error) {
	status, _ := s.client.send(ctx, http.MethodPost, s.calendar, fmt.Sprintf(
		`{"id":"cluster%06d","start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`, s.acked))
	// A conflict is the answer to the second attempt of what the first has done.
	if status != http.StatusOK && status != http.StatusConflict {
		return false, nil
	}
	s.acked++
	return true, nil
}

func (s *eventStream) audit(ctx context.Context) (verdict, error) {
	v, seen := verdict{acked: s.acked}, map[string]bool{}
	for page := ""; ; {
		status, content, err := s.client.read(ctx, s.calendar+"?maxResults=2500&pageToken="+page)
		var list struct {
			NextPageToken string
			Items         []struct{ ID string }
		}
		if err != nil || status != http.StatusOK || json.Unmarshal(content, &list) != nil {
			return v, fmt.Errorf("the events: %d %s: %w", status, content, err)
		}
		for _, item := range list.Items {
			seen[item.ID] = true
		}
		if page = list.NextPageToken; page == "" {
			break
		}
	}
	for i := range s.acked {
		if !seen[fmt.Sprintf("cluster%06d", i)] {
			v.lost++
		}
	}
	// The first message says that the channel is open.
	for range 90 {
		s.receiver.mu.Lock()
		last := s.receiver.last
		v.repeated, v.reordered = s.receiver.repeated, s.receiver.reordered
		s.receiver.mu.Unlock()
		if last >= s.acked+1 {
			return v, nil
		}
		if err := rest(ctx, time.Second); err != nil {
			return v, err
		}
	}
	return v, fmt.Errorf("the receiver heard of %d changes, %d were acknowledged", s.receiver.last-1, s.acked)
}
