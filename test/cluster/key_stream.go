package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// keyStream replaces one API key again and again. A replacement whose answer is missing
// is asked for again with the old key, which is told the same new key for a minute.
type keyStream struct {
	client *client
	issue  func(ctx context.Context) (string, error)
	live   string
	dead   string // the key before
	acked  int
	unsure time.Time // since when an answer is missing
}

func (s *keyStream) label() string       { return "keys" }
func (s *keyStream) pace() time.Duration { return 300 * time.Millisecond }

func (s *keyStream) write(ctx context.Context) (bool, error) {
	s.client.header.Set("Authorization", "Bearer "+s.live)
	status, content := s.client.send(ctx, http.MethodPost, "/v2/api-keys/refresh", `{"apiKeyNeverExpires":true}`)
	switch {
	case status == http.StatusOK:
		var answer struct{ Data struct{ APIKey string } }
		if err := json.Unmarshal(content, &answer); err != nil || answer.Data.APIKey == "" {
			return false, fmt.Errorf("refresh: %s: %w", content, err)
		}
		s.dead, s.live, s.unsure = s.live, answer.Data.APIKey, time.Time{}
		s.acked++
		return true, nil
	case status == http.StatusUnauthorized && !s.unsure.IsZero() && time.Since(s.unsure) > 50*time.Second:
		key, err := s.issue(ctx) // replaced, and the answer is not repeated any more
		if err == nil {
			s.live, s.dead, s.unsure = key, "", time.Time{}
		}
		return false, nil
	case status == http.StatusUnauthorized:
		return false, fmt.Errorf("key %d was acknowledged and is refused: %s", s.acked, content)
	case s.unsure.IsZero():
		s.unsure = time.Now()
	}
	return false, nil
}

// audit: the last key works, and the one before is told of it at most.
func (s *keyStream) audit(ctx context.Context) (verdict, error) {
	v := verdict{acked: s.acked}
	last := s.live
	if s.dead != "" && s.unsure.IsZero() {
		s.live = s.dead
		acked, err := s.write(ctx)
		if err == nil && acked && s.live != last {
			v.repeated++ // the old key was replaced twice
		}
	}
	s.live = last
	for range 20 {
		acked, err := s.write(ctx)
		if acked {
			return v, nil
		}
		if err != nil {
			v.lost++
			return v, err
		}
		if err := rest(ctx, time.Second); err != nil {
			return v, err
		}
	}
	return v, fmt.Errorf("the last key is not answered")
}
