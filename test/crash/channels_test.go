package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/test/program"
)

// announcements is how much is announced while the server is being killed.
type announcements struct {
	calendars, channels, changes int
	life                         time.Duration
}

// shortForm fits into every run: about a dozen kills, each of which finds all
// twelve channels with messages under way. STOA_CRASH_FULL=1 asks for the form that
// the promise is made in: 10,000 changes over 100 channels, a kill every 2 s.
func shortForm() announcements {
	if full() {
		return announcements{calendars: 50, channels: 2, changes: 10000, life: 2 * time.Second}
	}
	return announcements{calendars: 4, channels: 3, changes: 120, life: 150 * time.Millisecond}
}

// TestKillChannels kills the server while calendars change and channels are
// told. Every acknowledged change arrives at every channel, in order; what
// arrives twice does so in a row and with the same number.
func TestKillChannels(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &channelRun{size: shortForm(), binary: binary, data: t.TempDir(), receiver: delivertest.NewReceiver(t)}
	c.seen.channels = map[string]*channelLedger{}
	c.receiver.Reply(c.seen.take)
	c.watch(t)
	kills := 0
	for c.acknowledged.Load() < int64(c.size.changes) {
		p, s := c.start(t)
		before := c.acknowledged.Load()
		c.change(t, p, s)
		// A slow machine needs longer lives to get anywhere between kills.
		if c.acknowledged.Load()-before < int64(c.size.changes/15) {
			c.size.life += 100 * time.Millisecond
		}
		if kills++; kills > 500 {
			t.Fatal("the server makes no progress between kills")
		}
	}
	c.start(t)
	// One message of a channel is under way at a time, so a kill repeats at most one per channel.
	c.audit(t, kills, kills*c.size.calendars*c.size.channels)
}

type channelRun struct {
	size         announcements
	binary, data string
	args         []string
	receiver     *delivertest.Receiver
	token        string
	calendars    []string
	acked        []atomic.Int64 // changes by calendar
	acknowledged atomic.Int64
	seen         seen
}

// seen is what the receiver was told, by channel.
type seen struct {
	mu       sync.Mutex
	channels map[string]*channelLedger
}

type channelLedger struct {
	last     int64 // the highest number so far
	repeated int   // messages that came again
	wrong    string
}

// take notes one message. A repeated number must be the last one: anything
// else is out of order.
func (s *seen) take(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.Header.Get("X-Vendor-Channel-Id")
	l := s.channels[id]
	if l == nil {
		l = &channelLedger{}
		s.channels[id] = l
	}
	number, err := strconv.ParseInt(r.Header.Get("X-Vendor-Message-Number"), 10, 64)
	sync := r.Header.Get("X-Vendor-Resource-State") == "sync"
	switch {
	case err != nil || sync != (number == 1):
		l.wrong = fmt.Sprintf("message %v", r.Header)
	case number == l.last:
		l.repeated++
	case number == l.last+1:
		l.last = number
	default:
		l.wrong = fmt.Sprintf("number %d after %d", number, l.last)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (c *channelRun) options() program.Options {
	return program.Options{
		Binary: c.binary, Data: c.data, Args: c.args,
		Env: []string{
			"STOA_CALENDAR_REQUESTS_PER_MINUTE=100000000", "STOA_LOG_LEVEL=error",
			"STOA_DELIVER_TRUSTED_CA_FILE=" + c.receiver.Config.TrustedCAFile, "STOA_DELIVER_ALLOW=127.0.0.0/8",
		},
	}
}

func (c *channelRun) start(t *testing.T) (*program.Process, *server) {
	t.Helper()
	p, err := program.Start(t.Context(), c.options())
	if err != nil {
		t.Fatalf("the server does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	s := &server{
		url:  p.URL,
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: c.size.calendars}, Timeout: 20 * time.Second},
	}
	t.Cleanup(s.http.CloseIdleConnections)
	return p, s
}

// watch makes a user, calendars and their channels.
func (c *channelRun) watch(t *testing.T) {
	t.Helper()
	p, s := c.start(t)
	defer p.Kill()
	commands, _, err := admin.Dial(t.Context(), c.data)
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	s.admin = commands
	if _, err := commands.Run(t.Context(), "user add",
		map[string][]string{"name": {"writer"}, "password": {"correct horse battery staple"}}, nil); err != nil {
		t.Fatal(err)
	}
	if c.token, err = s.issue(t.Context(), "token issue", "token", map[string][]string{
		"user": {"writer"}, "service": {"calendar"},
	}); err != nil {
		t.Fatal(err)
	}
	c.acked = make([]atomic.Int64, c.size.calendars)
	for i := range c.size.calendars {
		text, err := s.do(t.Context(), http.MethodPost, "/calendar/v3/calendars", c.token, fmt.Sprintf(`{"summary":"%d"}`, i))
		if err != nil {
			t.Fatal(err)
		}
		var made struct{ ID string }
		if err := json.Unmarshal(text, &made); err != nil {
			t.Fatal(err)
		}
		id := made.ID
		c.calendars = append(c.calendars, id)
		for j := range c.size.channels {
			body := fmt.Sprintf(`{"id":"channel-%d-%d","type":"web_hook","address":"%s/x"}`, i, j, c.receiver.URL)
			if _, err := s.do(t.Context(), http.MethodPost, "/calendar/v3/calendars/"+id+"/events/watch", c.token,
				body); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// change lets one writer per calendar write until the server is killed.
func (c *channelRun) change(t *testing.T, p *program.Process, s *server) {
	t.Helper()
	const event = `{"start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`
	var writers sync.WaitGroup
	stop := make(chan struct{})
	for i, id := range c.calendars {
		writers.Go(func() {
			for c.acknowledged.Load() < int64(c.size.changes) {
				if _, err := s.do(context.Background(), http.MethodPost, "/calendar/v3/calendars/"+id+"/events", c.token,
					event); err != nil {
					return
				}
				c.acked[i].Add(1)
				c.acknowledged.Add(1)
			}
		})
	}
	go func() { writers.Wait(); close(stop) }()
	select {
	case <-stop:
	case <-time.After(c.size.life):
	}
	p.Kill()
	<-stop
}

// audit waits until everything is told and compares the ledgers. At most so many messages come again.
func (c *channelRun) audit(t *testing.T, kills, most int) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !c.settled(t) {
		if time.Now().After(deadline) {
			t.Error("the messages did not all arrive in time")
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.seen.mu.Lock()
	defer c.seen.mu.Unlock()
	repeated, total := 0, int64(0)
	for i := range c.calendars {
		for j := range c.size.channels {
			l := c.seen.channels[fmt.Sprintf("channel-%d-%d", i, j)]
			if l == nil {
				t.Errorf("channel %d of calendar %d heard nothing", j, i)
				continue
			}
			if l.wrong != "" {
				t.Errorf("channel %d of calendar %d: %s", j, i, l.wrong)
			}
			if want := c.acked[i].Load() + 1; l.last < want {
				t.Errorf("channel %d of calendar %d: last number %d, want at least %d", j, i, l.last, want)
			}
			repeated, total = repeated+l.repeated, total+l.last
		}
	}
	if repeated > most {
		t.Errorf("%d messages came again, want at most %d", repeated, most)
	}
	t.Logf("%d changes, %d messages, %d kills, %d came again", c.acknowledged.Load(), total, kills, repeated)
}

// settled reports whether nothing waits to be sent.
func (c *channelRun) settled(t *testing.T) bool {
	t.Helper()
	commands, _, err := admin.Dial(t.Context(), c.data)
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	text, err := commands.Run(t.Context(), "deliveries list", map[string][]string{"state": {"pending"}, "limit": {"1"}},
		nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Deliveries []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return len(list.Deliveries) == 0
}
