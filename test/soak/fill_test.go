package soak_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
)

// What a run of minutes begins with: more than the caches of answers and of pages hold, so
// that those are full when memory is looked at, and not while.
const (
	filledTasks, filledEvents = 2400, 100
	filledText                = 4 << 10
	filledLists               = 12
)

// fill stores long texts and reads all of them, each client under names of its own.
func fill(ctx context.Context, all []*client) error {
	text := strings.Repeat("marble ", filledText/7)
	list, err := all[0].id(ctx, "tasks", "/tasks/v1/users/@me/lists", `{"title":"Stored"}`)
	if err != nil {
		return err
	}
	calendar, err := all[0].id(ctx, "calendar", "/calendar/v3/calendars", `{"summary":"Stored"}`)
	if err != nil {
		return err
	}
	tasks, events := "/tasks/v1/lists/"+list+"/tasks", "/calendar/v3/calendars/"+calendar+"/events"
	err = together(all, func(c *client) error {
		for range filledTasks / len(all) {
			if _, err := c.send(ctx, "tasks", "POST "+tasks, `{"title":"x","notes":"`+text+`"}`); err != nil {
				return err
			}
		}
		for range filledEvents / len(all) {
			body := `{"description":"` + text + `","start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`
			if _, err := c.send(ctx, "calendar", "POST "+events, body); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return together(all, func(c *client) error {
		for n := range filledLists {
			at := time.Unix(int64(c.number*filledLists+n), 0).UTC().Format(time.RFC3339)
			if err := c.readAll(ctx, tasks+"?maxResults=100&updatedMin="+url.QueryEscape(at)); err != nil {
				return err
			}
			if _, err := c.send(ctx, "calendar", "GET "+events+"?maxResults=100&timeMin="+url.QueryEscape(at), ""); err != nil {
				return err
			}
		}
		return nil
	})
}

// id makes something and returns its id.
func (c *client) id(ctx context.Context, service, path, body string) (string, error) {
	a, err := c.send(ctx, service, "POST "+path, body)
	if err != nil {
		return "", err
	}
	return a.member("id")
}

// readAll follows a list to its end.
func (c *client) readAll(ctx context.Context, path string) error {
	for next := path; next != ""; {
		a, err := c.send(ctx, "tasks", "GET "+next, "")
		if err != nil {
			return err
		}
		next = ""
		if token, err := a.member("nextPageToken"); err == nil {
			next = path + "&pageToken=" + token
		}
	}
	return nil
}

// together lets every client do the same and reports the first failure.
func together(all []*client, do func(*client) error) error {
	failures := make([]error, len(all))
	var group sync.WaitGroup
	for i, c := range all {
		group.Go(func() { failures[i] = do(c) })
	}
	group.Wait()
	for i, err := range failures {
		if err != nil {
			return fmt.Errorf("client %d: %w", i, err)
		}
	}
	return nil
}
