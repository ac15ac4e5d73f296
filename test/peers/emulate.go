package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"

	"stoa.dev/stoa/test/bench/drive"
)

const (
	calendarEvents = "/calendar/v3/calendars/primary/events"
	oneEvent       = `{"summary":"x","start":{"dateTime":"2026-03-10T09:00:00Z"},"end":{"dateTime":"2026-03-10T10:00:00Z"}}`
	listEvents     = calendarEvents + "?maxResults=30"
)

func emulate() peer {
	return peer{
		name: "emulate", pin: pins()["emulate"],
		durable: "nothing: its state is in memory",
		differs: []string{
			"Its calendar service has the addresses that Stoa's has. Any token is let in as the same user and has 5,000 calls " +
				"an hour, so each connection takes a new token every 4,000 calls; Stoa's limit is raised and counted.",
			"It emulates a dozen vendors and can be embedded in a JavaScript test; Stoa's change of an event also moves sync " +
				"tokens and notifies channels, which it does not have.",
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
	theirEvent, err := theirs.createdMany(ctx, 30, calendarEvents, "any", oneEvent)
	if err != nil {
		return nil, err
	}
	ourEvent, err := ours.createdMany(ctx, 30, calendarEvents, token, oneEvent)
	if err != nil {
		return nil, err
	}
	var tokens atomic.Int64
	both := func(what string, clients int, method, path, stoaPath, body, text string) ask {
		return ask{
			what: what, clients: clients, theirs: text, ours: text,
			askTheirs: r.requests(theirs, clients, func(int) drive.Source {
				return &manyTokens{tokens: &tokens, request: func(token string) []byte {
					return drive.Request(method, path, theirs.address, token, body)
				}}
			}),
			askOurs: r.request(ours, clients, method, stoaPath, token, body),
		}
	}
	return []ask{
		both("read one", readers, http.MethodGet, calendarEvents+"/"+theirEvent, calendarEvents+"/"+ourEvent, "", "GET event"),
		both("list 30", readers, http.MethodGet, listEvents, listEvents, "", "GET events"),
		both("create", writers, http.MethodPost, calendarEvents, calendarEvents, oneEvent, "POST event"),
	}, nil
}

// manyTokens changes the token before the server's limit is reached.
type manyTokens struct {
	tokens  *atomic.Int64
	request func(token string) []byte
	text    []byte
	left    int
}

func (m *manyTokens) Next() []byte {
	if m.left == 0 {
		m.text, m.left = m.request(fmt.Sprintf("bench-%d", m.tokens.Add(1))), 4000
	}
	m.left--
	return m.text
}

func (m *manyTokens) Seen([]byte) error { return nil }

// splitAddress is for command lines that take the two apart.
func splitAddress(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, ""
	}
	return host, port
}
