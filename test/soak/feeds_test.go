package soak_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// anonymousLimit is what all callers without a token have together.
const anonymousLimit = 200

// TestFeeds is promise 8, no poller that trusts its tag misses an event, and
// promise 7, no limiter admits one request too many, at the same time.
func TestFeeds(t *testing.T) {
	t.Parallel()
	env := []string{
		"STOA_EVENTS_LIMITS_USER=1000000000", "STOA_EVENTS_LIMITS_POINTS=1000000000", "STOA_EVENTS_LIMITS_CPU=10000h",
		"STOA_EVENTS_LIMITS_CONTENT_MINUTE=1000000000", "STOA_EVENTS_LIMITS_CONTENT_HOUR=1000000000",
		fmt.Sprintf("STOA_EVENTS_LIMITS_ANONYMOUS=%d", anonymousLimit), "STOA_EVENTS_LIMITS_BAN_AFTER=0",
	}
	t.Run("one process on SQLite", func(t *testing.T) {
		t.Parallel()
		holdFeeds(t, serve(t, 1, "", env...))
	})
	t.Run("two processes on PostgreSQL", func(t *testing.T) {
		t.Parallel()
		holdFeeds(t, serve(t, 2, databasetest.PostgresURL(t), env...))
	})
}

func holdFeeds(t *testing.T, h *server) {
	const writers, pollers, anonymous = 8, 8, 8
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	seen := newLedger(pollers)
	var writing, others sync.WaitGroup
	end := time.Now().Add(*length)
	for i := range writers {
		writing.Go(func() { cancelOn(cancel, h.write(ctx, i, end, seen)) })
	}
	stop := make(chan struct{})
	feeds := []string{
		"/events?per_page=100", "/repos/" + h.repo + "/events?per_page=100", "/networks/" + h.repo + "/events?per_page=100",
	}
	for i := range pollers {
		others.Go(func() { cancelOn(cancel, h.poll(ctx, i, feeds[i%len(feeds)], stop, seen)) })
	}
	strange := &served{}
	for i := range anonymous {
		others.Go(func() { cancelOn(cancel, h.hammer(ctx, i, stop, strange)) })
	}
	writing.Wait()
	close(stop)
	others.Wait()
	if err := context.Cause(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d events, each seen by %d pollers; %d requests of anonymous clients served, %d refused", seen.written(),
		pollers, strange.ok.Load(), strange.refused.Load())
	if seen.written() < writers {
		t.Errorf("only %d events were written", seen.written())
	}
	strange.check(t)
}

func cancelOn(cancel context.CancelCauseFunc, err error) {
	if err != nil {
		cancel(err)
	}
}

// write records events, each only after every poller has seen the one before:
// so no feed outgrows what it holds, and an event that a tag hides stops it.
func (h *server) write(ctx context.Context, i int, end time.Time, seen *ledger) error {
	for n := 0; time.Now().Before(end); n++ {
		body := fmt.Sprintf(`{"type":"IssuesEvent","payload":{"action":"opened","issue":{"id":%d,"number":%d,"title":"Shade","user":{"login":"ada"}}}}`, i+1, n+1)
		a, err := h.do(ctx, i, "POST", "/repos/"+h.repo+"/events", h.token, "", body)
		if err != nil {
			return err
		}
		var event struct{ ID string }
		if err := json.Unmarshal(a.body, &event); err != nil || a.status != http.StatusCreated || event.ID == "" {
			return fmt.Errorf("recording an event: %d %s", a.status, a.body)
		}
		select {
		case <-seen.byAll(event.ID):
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Second):
			return fmt.Errorf("event %s was recorded and pollers %v never saw it", event.ID, seen.missing(event.ID))
		}
	}
	return nil
}

// poll fetches a feed whenever its tag no longer holds.
func (h *server) poll(ctx context.Context, i int, feed string, stop <-chan struct{}, seen *ledger) error {
	tag := ""
	for {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return nil
		case <-time.After(5 * time.Millisecond):
		}
		a, err := h.do(ctx, i, "GET", feed, h.token, tag, "")
		switch {
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case a.status == http.StatusNotModified:
			continue
		case a.status != http.StatusOK:
			return fmt.Errorf("polling %s: %d %s", feed, a.status, a.body)
		}
		tag = a.header.Get("Etag")
		ids, err := a.ids()
		if err != nil {
			return err
		}
		seen.add(i, ids)
	}
}

// hammer is an anonymous client that does not stop at the limit.
func (h *server) hammer(ctx context.Context, i int, stop <-chan struct{}, strange *served) error {
	for {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return nil
		case <-time.After(2 * time.Millisecond):
		}
		a, err := h.do(ctx, i, "GET", "/events", "", "", "")
		switch {
		case err != nil && ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case a.status == http.StatusOK:
			strange.ok.Add(1)
		case a.status == http.StatusForbidden:
			strange.refused.Add(1)
		default:
			return errors.New("an anonymous client got " + http.StatusText(a.status))
		}
	}
}
