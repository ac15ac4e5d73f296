package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

var clockJumps = flag.Int("jumps", 10, "how often the clock jumps in TestClockJumps")

const (
	limitOfLabels = 20 // in a minute, of one caller
	year          = 365 * 24 * time.Hour
)

// leaps are how far a clock jumps that is set by hand or by another: the second that comes twice is one back.
func leaps() []time.Duration {
	return []time.Duration{
		time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour, -10 * year, -time.Second, 10 * year, time.Second,
		-time.Hour, 24 * time.Hour,
	}
}

// negative is a duration of the log that is below nothing.
var negative = regexp.MustCompile(`[a-z_]*(duration|took|wait|age)[a-z_]*"?[=:] ?"?-\d`)

// TestClockJumps lets the clock jump while clients write. Whatever it shows: no request fails, a code lives as long as
// was said, a limit neither opens nor stays shut, and nothing takes less than no time.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		log := &lockedBuffer{}
		h := open(t, conformance.Options{Unobserved: true, Log: log, Configure: func(c *app.Config) {
			c.Labels.RequestsPerMinute = limitOfLabels
			c.Calendar.RequestsPerMinute = 1 << 30
		}})
		h.Command(t, "user add", map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}})
		h.Clock.Run(1)
		load := beginLoad(t, h)
		labels := h.Token(t, "ada", "labels")
		for i := range *clockJumps {
			jump := leaps()[i%len(leaps())]
			tv := newTelevision(t, h)
			before := load.done.Load()
			h.Clock.Set(h.Clock.Now().Add(jump))
			codeOfBefore(t, tv, jump)
			h.Clock.Freeze()
			limitHolds(t, h, labels, jump)
			codeLives(t, h, jump)
			h.Clock.Run(1)
			load.await(t, before+2*loadClients)
		}
		load.stop()
		if found := negative.FindString(log.String()); found != "" {
			t.Errorf("the log has a negative duration: %s", found)
		}
		t.Logf("%d jumps of the clock during %d requests", *clockJumps, load.done.Load())
	})
}

// limitHolds uses a limit up, waits as long as it asks for, and is let in again.
func limitHolds(t *testing.T, h *conformance.Server, token string, jump time.Duration) {
	t.Helper()
	call := conformance.Call{Path: "/v2/limits/label?name=limits/label", Bearer: token}
	allowed := 0
	answer := h.Do(t, call)
	for ; answer.Status == http.StatusOK && allowed <= limitOfLabels; answer = h.Do(t, call) {
		allowed++
	}
	if answer.Status != http.StatusTooManyRequests || allowed > limitOfLabels {
		t.Errorf("after a jump of %v %d requests were let in, then %v", jump, allowed, answer)
		return
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || seconds < 1 || seconds > 60 {
		t.Errorf("after a jump of %v a minute's limit asks to wait %q s", jump, answer.Header.Get("Retry-After"))
		return
	}
	h.Clock.Advance(time.Duration(seconds) * time.Second)
	if answer := h.Do(t, call); answer.Status != http.StatusOK {
		t.Errorf("after a jump of %v the limit is shut after the wait of %d s that it asked for: %v", jump, seconds, answer)
	}
}

// codeOfBefore asks for a code that was made before a jump: it has expired if the clock says so, and only then.
func codeOfBefore(t *testing.T, tv *television, jump time.Duration) {
	t.Helper()
	want := "authorization_pending"
	if jump >= time.Hour {
		want = "expired_token"
	}
	if answer := tv.poll(t); !strings.Contains(string(answer.Body), want) {
		t.Errorf("after a jump of %v a code of before is not %s: %v", jump, want, answer)
	}
}

// codeLives begins a device flow, whose code must live as long as was said, and no longer.
func codeLives(t *testing.T, h *conformance.Server, jump time.Duration) {
	t.Helper()
	id, secret := client(t, h, "device", nil)
	tv := &television{h: h, id: id, secret: secret}
	made := tv.begin(t, "video")
	life := time.Duration(conformance.Integer(t, made, "expires_in")) * time.Second
	end := h.Clock.Now().Add(life)
	if life < time.Minute {
		t.Fatalf("after a jump of %v a code expires in %v", jump, life)
	}
	h.Clock.Set(end.Add(-time.Second))
	if answer := tv.poll(t); !strings.Contains(string(answer.Body), "authorization_pending") {
		t.Errorf("after a jump of %v a code is gone before its end: %v", jump, answer)
	}
	h.Clock.Set(end.Add(time.Second))
	if answer := tv.poll(t); !strings.Contains(string(answer.Body), "expired_token") {
		t.Errorf("after a jump of %v a code lives on: %v", jump, answer)
	}
}

const loadClients = 4

// load are clients that write and read again what they wrote.
type load struct {
	done atomic.Int64
	end  context.CancelFunc
	all  sync.WaitGroup
}

func beginLoad(t *testing.T, h *conformance.Server) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{end: cancel}
	token := h.Token(t, "ada", "calendar")
	for n := range loadClients {
		l.all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			defer client.CloseIdleConnections()
			for i := 0; ctx.Err() == nil; i++ {
				err := writeAndRead(ctx, client, h.URL, token, fmt.Sprintf("%d of client %d", i, n))
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				l.done.Add(1)
			}
		})
	}
	t.Cleanup(l.stop)
	return l
}

func (l *load) stop() {
	l.end()
	l.all.Wait()
}

// await lets the clients go on until they have done so much.
func (l *load) await(t *testing.T, n int64) {
	t.Helper()
	for until := time.Now().Add(time.Minute); l.done.Load() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(until) || t.Failed() {
			t.Fatalf("the clients made %d requests, want %d", l.done.Load(), n)
		}
	}
}

func writeAndRead(ctx context.Context, c *http.Client, url, token, summary string) error {
	const path = "/calendar/v3/calendars/primary/events"
	body := fmt.Sprintf(`{"summary":%q,"start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`, summary)
	text, err := ask(ctx, c, http.MethodPost, url+path, token, body)
	if err != nil {
		return err
	}
	var made struct{ ID string }
	if err := json.Unmarshal(text, &made); err != nil {
		return err
	}
	text, err = ask(ctx, c, http.MethodGet, url+path+"/"+made.ID, token, "")
	if err == nil && !bytes.Contains(text, []byte(summary)) {
		err = fmt.Errorf("an event of %q reads %s", summary, text)
	}
	return err
}

// ask wants 200.
func ask(ctx context.Context, c *http.Client, method, url, token, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %d %s", method, url, answer.StatusCode, text)
	}
	return text, err
}

// lockedBuffer is a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
