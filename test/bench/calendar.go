package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// calendarRows: H's changes over HTTP, and how fast and how soon they arrive
// at channels.
func calendarRows() []row {
	return []row{
		{name: "H: POST event, durable", run: (*bench).calendarInsert},
		{name: "H: GET event with token, 16 clients", run: (*bench).calendarGet},
		{name: "H: GET list of 30 events with token, 16 clients", run: (*bench).calendarList, atLeast: 0},
		{name: "H: 1,000 channels on one calendar, deliveries", run: (*bench).calendarFanOut, perSec: 2000},
		{
			name: "H: commit to arrival at 20 channels, 5 changes/s, p99", run: (*bench).calendarArrival, atMost: 50, unit: "ms",
		},
	}
}

const (
	calendarEvents = "/calendar/v3/calendars/primary/events"
	calendarEvent  = `{"summary":"x","start":{"dateTime":"2026-03-10T09:00:00Z"},"end":{"dateTime":"2026-03-10T10:00:00Z"}}`
)

// startCalendar serves with a user and gives the user's token.
func (b *bench) startCalendar(ctx context.Context, folder string, env ...string) (*ours, string, error) {
	o, token, err := b.startFor(ctx, folder, "calendar", env...)
	if err != nil {
		return nil, "", err
	}
	if _, err := o.send(ctx, http.MethodPost, calendarEvents, token, calendarEvent); err != nil {
		o.close()
		return nil, "", err
	}
	return o, token, nil
}

func (b *bench) calendarInsert(ctx context.Context) ([]result, error) {
	o, token, err := b.startCalendar(ctx, "calendar-insert")
	if err != nil {
		return nil, err
	}
	defer o.close()
	inserts, err := o.insertsPerCalendar(ctx, token)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, clients := range []int{1, 32, 128} {
		s, err := repeat(ctx, b.rounds, b.load(o.address(), clients, func(client int) drive.Source {
			return drive.Constant(inserts[client%len(inserts)])
		}))
		if err != nil {
			return nil, err
		}
		results = append(results, rateResult(clientsLabel(clients), s))
	}
	return results, nil
}

// insertsPerCalendar are requests that insert an event, each into a calendar of its own: one
// calendar takes no more events than a run makes.
func (o *ours) insertsPerCalendar(ctx context.Context, token string) (requests [][]byte, err error) {
	for range 16 {
		id, err := o.createdID(ctx, "/calendar/v3/calendars", token, `{"summary":"x"}`)
		if err != nil {
			return nil, err
		}
		path := "/calendar/v3/calendars/" + url.PathEscape(id) + "/events"
		requests = append(requests, drive.Request("POST", path, o.address(), token, calendarEvent))
	}
	return requests, nil
}

func (b *bench) calendarGet(ctx context.Context) ([]result, error) {
	o, token, err := b.startCalendar(ctx, "calendar-get")
	if err != nil {
		return nil, err
	}
	defer o.close()
	id, err := o.createdID(ctx, calendarEvents, token, calendarEvent)
	if err != nil {
		return nil, err
	}
	return b.gets(ctx, o, bareWord, calendarEvents+"/"+id, token)
}

func (b *bench) calendarList(ctx context.Context) ([]result, error) {
	o, token, err := b.startCalendar(ctx, "calendar-list")
	if err != nil {
		return nil, err
	}
	defer o.close()
	for range 29 {
		if _, err := o.send(ctx, http.MethodPost, calendarEvents, token, calendarEvent); err != nil {
			return nil, err
		}
	}
	return b.gets(ctx, o, bareWord, calendarEvents, token)
}

// arrivals is a receiver of messages: it notes when each number of each
// channel came for the first time.
type arrivals struct {
	server *httptest.Server
	env    []string

	mu   sync.Mutex
	at   map[string]time.Time
	more chan struct{}
}

func newArrivals(dir string) (*arrivals, error) {
	a := &arrivals{at: map[string]time.Time{}, more: make(chan struct{}, 1)}
	a.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		key := r.Header.Get("X-Vendor-Channel-Id") + " " + r.Header.Get("X-Vendor-Message-Number")
		a.mu.Lock()
		if a.at[key].IsZero() {
			a.at[key] = now
		}
		a.mu.Unlock()
		select {
		case a.more <- struct{}{}:
		default:
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	file := filepath.Join(dir, "receiver.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.server.Certificate().Raw})
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	a.env = []string{"STOA_DELIVER_ALLOW=127.0.0.0/8", "STOA_DELIVER_TRUSTED_CA_FILE=" + file}
	return a, os.WriteFile(file, text, 0o600)
}

// wait returns when so many messages have come.
func (a *arrivals) wait(ctx context.Context, n int) error {
	late := time.After(2 * time.Minute)
	for {
		a.mu.Lock()
		have := len(a.at)
		a.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-a.more:
		case <-late:
			return fmt.Errorf("%d of %d messages came in time", have, n)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watched serves with so many channels on one calendar.
func (b *bench) watched(ctx context.Context, folder string, channels int) (*ours, string, *arrivals, error) {
	a, err := newArrivals(b.folder(folder + "-receiver"))
	if err != nil {
		return nil, "", nil, err
	}
	o, token, err := b.startCalendar(ctx, folder, a.env...)
	if err != nil {
		a.server.Close()
		return nil, "", nil, err
	}
	for i := range channels {
		body := fmt.Sprintf(`{"id":"channel-%d","type":"web_hook","address":"%s"}`, i, a.server.URL)
		if _, err := o.send(ctx, http.MethodPost, calendarEvents+"/watch", token, body); err != nil {
			o.close()
			a.server.Close()
			return nil, "", nil, err
		}
	}
	return o, token, a, a.wait(ctx, channels)
}

// calendarFanOut changes a calendar with many channels and counts what comes
// from the first change to the last message.
func (b *bench) calendarFanOut(ctx context.Context) ([]result, error) {
	const channels, changes = 1000, 10
	o, token, a, err := b.watched(ctx, "calendar-fanout", channels)
	if err != nil {
		return nil, err
	}
	defer a.server.Close()
	defer o.close()
	start := time.Now()
	for range changes {
		if _, err := o.send(ctx, http.MethodPost, calendarEvents, token, calendarEvent); err != nil {
			return nil, err
		}
	}
	if err := a.wait(ctx, channels*(changes+1)); err != nil {
		return nil, err
	}
	return []result{{rate: channels * changes / time.Since(start).Seconds(), judged: true}}, nil
}

// calendarArrival measures how long after its acknowledgement a change has
// arrived. Many messages arrive before that; they count as zero.
func (b *bench) calendarArrival(ctx context.Context) ([]result, error) {
	const channels, changes = 20, 50
	o, token, a, err := b.watched(ctx, "calendar-arrival", channels)
	if err != nil {
		return nil, err
	}
	defer a.server.Close()
	defer o.close()
	committed := make([]time.Time, changes)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for i := range changes {
		text, err := o.send(ctx, http.MethodPost, calendarEvents, token, calendarEvent)
		committed[i] = time.Now()
		if err != nil || !json.Valid(text) {
			return nil, errors.Join(err, errors.New("a change was refused"))
		}
		<-tick.C
	}
	if err := a.wait(ctx, channels*(changes+1)); err != nil {
		return nil, err
	}
	var all []time.Duration
	for i, at := range committed {
		for c := range channels {
			all = append(all, max(0, a.at[fmt.Sprintf("channel-%d %d", c, i+2)].Sub(at)))
		}
	}
	slices.Sort(all)
	p99 := all[len(all)*99/100]
	return []result{{value: float64(p99.Microseconds()) / 1000, p50: all[len(all)/2], p99: p99, judged: true}}, nil
}
