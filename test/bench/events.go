package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"stoa.dev/stoa/test/bench/drive"
)

// storedEvents is how many events the feeds are cut out of.
const storedEvents = 1_000_000

// eventsRows: I's feed of 30 and its 304 with a million events stored, and
// recording them.
func eventsRows() []row {
	return []row{
		{name: "I: feed of 30 events with token, a million stored, 16 clients", run: (*bench).eventsFeed, atLeast: 0.6},
		{name: "I: 304 of a feed with token, a million stored, 16 clients", run: (*bench).eventsUnchanged, atLeast: 0.5},
		{name: "I: GET repository with token, 16 clients", run: (*bench).eventsRepository},
		{name: "I: record an event, durable, 32 clients", run: (*bench).eventsRecord, perSec: 5000},
		{name: "I: resident memory after a million addresses", run: (*bench).eventsAddresses, atMost: 400, unit: "MB"},
	}
}

// eventsServer is a server with a repository of so many events.
func (b *bench) eventsServer(ctx context.Context, name string, stored int) (o *ours, token string, err error) {
	if o, err = b.startOurs(ctx, b.folder(name)); err != nil {
		return nil, "", err
	}
	for _, c := range []struct {
		path   string
		values map[string][]string
	}{
		{"user add", map[string][]string{"name": {"bench"}, "password": {benchPassword}}},
		{"repo create", map[string][]string{"repo": {"bench/busy"}}},
		{"events add", map[string][]string{
			"type": {"WatchEvent"}, "repo": {"bench/busy"}, "user": {"bench"}, "payload": {`{"action":"started"}`}, "count": {fmt.Sprint(stored)},
		}},
	} {
		if _, err = o.issue(ctx, c.path, "", c.values); err != nil {
			o.close()
			return nil, "", err
		}
	}
	if token, err = o.issue(ctx, "token issue", "token", map[string][]string{
		"user": {"bench"}, "service": {"events"},
	}); err != nil {
		o.close()
	}
	return o, token, err
}

func (b *bench) eventsRepository(ctx context.Context) ([]result, error) {
	o, token, err := b.eventsServer(ctx, "events-repository", 1)
	if err != nil {
		return nil, err
	}
	defer o.close()
	return b.gets(ctx, o, bareWord, "/repos/bench/busy", token)
}

func (b *bench) eventsFeed(ctx context.Context) ([]result, error) {
	o, token, err := b.eventsServer(ctx, "events-feed", storedEvents)
	if err != nil {
		return nil, err
	}
	defer o.close()
	const path = "/events?per_page=30"
	return b.gets(ctx, o, bareEventsWord, path, token)
}

// eventsUnchanged compares with a bare server that says hello.
func (b *bench) eventsUnchanged(ctx context.Context) ([]result, error) {
	o, token, err := b.eventsServer(ctx, "events-304", storedEvents)
	if err != nil {
		return nil, err
	}
	defer o.close()
	tag, err := o.tag(ctx, "/events", token)
	if err != nil {
		return nil, err
	}
	bare, stop, err := startBare(ctx, `{"hello":"world"}`)
	if err != nil {
		return nil, err
	}
	defer stop()
	hello := drive.Request("GET", "/", bare, token, "")
	asked := drive.Request("GET", "/events", o.address(), token, "")
	asked = []byte(strings.Replace(string(asked), "\r\n\r\n", "\r\nIf-None-Match: "+tag+"\r\n\r\n", 1))
	unchanged := b.load(o.address(), 16, func(int) drive.Source { return drive.Constant(asked) })
	unchanged.Status = "304"
	c, err := compare(ctx, b.rounds, b.load(bare, 16, func(int) drive.Source { return drive.Constant(hello) }), unchanged)
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// tag is the entity tag of an answer that is not compressed.
func (o *ours) tag(ctx context.Context, path, bearer string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.URL+path, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	return response.Header.Get("Etag"), response.Body.Close()
}

func (b *bench) eventsRecord(ctx context.Context) ([]result, error) {
	o, token, err := b.eventsServer(ctx, "events-record", 1)
	if err != nil {
		return nil, err
	}
	defer o.close()
	text := drive.Request("POST", "/repos/bench/busy/events", o.address(), token, `{"type":"WatchEvent","payload":{"action":"started"}}`)
	s, err := b.load(o.address(), 32, func(int) drive.Source { return drive.Constant(text) }).Run(ctx)
	if err != nil {
		return nil, err
	}
	r := rateResult("", s)
	r.judged = true
	return []result{r}, nil
}

// bareEventsWord makes this program a bare server of a list of events.
const bareEventsWord = "bare-events-server"

// bareEvent has the members of an event.
type bareEvent struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Actor     bareActor       `json:"actor"`
	Repo      bareActor       `json:"repo"`
	Payload   json.RawMessage `json:"payload"`
	Public    bool            `json:"public"`
	CreatedAt string          `json:"created_at"`
}

type bareActor struct {
	ID              int64   `json:"id"`
	Name            string  `json:"name,omitempty"`
	Login           string  `json:"login,omitempty"`
	DisplayLogin    string  `json:"display_login,omitempty"`
	AvatarServiceID *string `json:"avatar_service_id,omitempty"`
	URL             string  `json:"url"`
	AvatarURL       string  `json:"avatar_url,omitempty"`
}
