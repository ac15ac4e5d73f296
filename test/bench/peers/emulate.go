package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"

	"stoa.dev/stoa/test/bench/drive"
)

const (
	calendarEvents = "/calendar/v3/calendars/primary/events"
	oneEvent       = `{"summary":"x","start":{"dateTime":"2026-03-10T09:00:00Z"},` +
		`"end":{"dateTime":"2026-03-10T10:00:00Z"}}`
	listEvents = calendarEvents + "?maxResults=30"
)

func emulate() peer {
	return peer{
		name: "emulate", pin: pins()["emulate"],
		durable: "nothing: its state is in memory",
		differs: []string{
			"Its calendar service has the addresses that Stoa's has. Any token is let in as the same user " +
				"and has 5,000 calls an hour, so each connection takes a new token every 4,000 calls; Stoa's " +
				"limit is raised and counted. A calendar of Stoa holds 50,000 events, so creating goes on in " +
				"another one then.",
			"It emulates a dozen vendors and can be embedded in a JavaScript test. It does not read one " +
				"event by its id; a change in Stoa also moves sync tokens and notifies channels, and it has " +
				"neither.",
		},
		servers: func(ctx context.Context, r *run, p pin) (theirs, ours server, err error) {
			script, err := r.nodeScript(ctx, p, "dist/index.js")
			theirs, ours = r.beside(func(_, address string) []string {
				host, port := splitAddress(address)
				return append(script, "start", "--service", "google", "--host", host, "--port", port)
			}, "/calendar/v3/users/me/calendarList")
			return theirs, ours, err
		},
		asks: emulateAsks,
	}
}

func emulateAsks(ctx context.Context, r *run, theirs, ours *child) ([]ask, error) {
	token, err := ours.token(ctx, "calendar")
	if err != nil {
		return nil, err
	}
	if _, err := theirs.createdMany(ctx, 30, calendarEvents, "any", oneEvent); err != nil {
		return nil, err
	}
	if _, err := ours.createdMany(ctx, 30, calendarEvents, token, oneEvent); err != nil {
		return nil, err
	}
	calendars := []string{"primary"}
	for range 15 {
		id, err := ours.created(ctx, "/calendar/v3/calendars", token, `{"summary":"Another"}`)
		if err != nil {
			return nil, err
		}
		calendars = append(calendars, id)
	}
	var tokens, events atomic.Int64
	changing := func(clients int, method, path, body string) measure {
		return r.requests(theirs, clients, func(int) drive.Source {
			return &changed{every: 4000, request: func() []byte {
				return drive.Request(method, path, theirs.address, fmt.Sprintf("bench-%d", tokens.Add(1)), body)
			}}
		})
	}
	// Each piece of a hundred events goes to the first calendar with place for it.
	create := func(int) drive.Source {
		return &changed{every: 100, request: func() []byte {
			calendar := calendars[min(int(events.Add(100)/40_000), len(calendars)-1)]
			path := "/calendar/v3/calendars/" + url.PathEscape(calendar) + "/events"
			return drive.Request(http.MethodPost, path, ours.address, token, oneEvent)
		}}
	}
	return []ask{
		{
			what: "list 30", clients: readers, theirs: "GET events", ours: "GET events",
			askTheirs: changing(readers, http.MethodGet, listEvents, ""),
			askOurs:   r.request(ours, readers, http.MethodGet, listEvents, token, ""),
		},
		{
			what: "create", clients: writers, theirs: "POST event", ours: "POST event",
			askTheirs: changing(writers, http.MethodPost, calendarEvents, oneEvent),
			askOurs:   r.requests(ours, writers, create),
		},
	}, nil
}

// changed sends a request as often as a limit of the server allows and takes
// another then.
type changed struct {
	every   int
	request func() []byte
	text    []byte
	left    int
}

func (c *changed) Next() []byte {
	if c.left == 0 {
		c.text, c.left = c.request(), c.every
	}
	c.left--
	return c.text
}

func (c *changed) Seen([]byte) error { return nil }

// splitAddress is for command lines that take the two apart.
func splitAddress(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, ""
	}
	return host, port
}
