package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// taskStream inserts tasks through one node into a list of its own. A task is sent once,
// and a new one goes to the top, so that the list shows the order of the writes.
type taskStream struct {
	client *client
	path   string

	mu    sync.Mutex
	sent  int
	acked map[int]bool
}

func newTaskStream(ctx context.Context, c *client) (*taskStream, error) {
	status, content := c.send(ctx, http.MethodPost, "/tasks/v1/users/@me/lists", `{"title":"cluster"}`)
	var list struct{ ID string }
	if err := json.Unmarshal(content, &list); err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("a task list: %d %s: %w", status, content, err)
	}
	return &taskStream{client: c, path: "/tasks/v1/lists/" + list.ID + "/tasks", acked: map[int]bool{}}, nil
}

func (s *taskStream) label() string       { return "tasks" }
func (s *taskStream) pace() time.Duration { return 40 * time.Millisecond }

func (s *taskStream) write(ctx context.Context) (bool, error) {
	s.mu.Lock()
	s.sent++
	number := s.sent
	s.mu.Unlock()
	status, _ := s.client.send(ctx, http.MethodPost, s.path, fmt.Sprintf(`{"title":"%d"}`, number))
	if status != http.StatusOK {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acked[number] = true
	return true, nil
}

// mark is what was acknowledged, and the last number that was sent, until now.
func (s *taskStream) mark() (acked map[int]bool, sent int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	acked = map[int]bool{}
	for number := range s.acked {
		acked[number] = true
	}
	return acked, s.sent
}

func (s *taskStream) audit(ctx context.Context) (verdict, error) {
	acked, sent := s.mark()
	return s.compare(ctx, s.client, acked, sent)
}

// compare reads the list through a client.
func (s *taskStream) compare(ctx context.Context, c *client, acked map[int]bool, sent int) (verdict, error) {
	v, stored, last := verdict{acked: len(acked)}, map[int]int{}, sent+1
	for page := ""; ; {
		status, content, err := c.read(ctx, s.path+"?maxResults=100&pageToken="+url.QueryEscape(page))
		var list struct {
			NextPageToken string
			Items         []struct{ Title string }
		}
		if err != nil || status != http.StatusOK || json.Unmarshal(content, &list) != nil {
			return v, fmt.Errorf("the list: %d %s: %w", status, content, err)
		}
		for _, item := range list.Items {
			number, err := strconv.Atoi(item.Title)
			if err != nil || number > sent {
				return v, fmt.Errorf("task %q was not sent: %w", item.Title, err)
			}
			if stored[number]++; number > last {
				v.reordered++
			}
			last = number
		}
		if page = list.NextPageToken; page == "" {
			break
		}
	}
	for number := range acked {
		if stored[number] == 0 {
			v.lost++
		}
	}
	for _, times := range stored {
		v.repeated += times - 1
	}
	return v, nil
}
