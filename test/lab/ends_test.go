package lab_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/test/program"
)

const day = 24 * time.Hour

// start is when the clocks of these worlds begin.
func start() time.Time { return time.Date(2031, time.May, 6, 7, 8, 9, 0, time.UTC) }

// TestVeryEnds waits for times that services keep, to their last second and one
// further, in a world whose clock is moved for it. Not parallel: the work of the
// process is measured.
func TestVeryEnds(t *testing.T) {
	c := open(t, t.TempDir())
	members := fmt.Sprintf(`{"name":"first","dialect":"neutral","clock":{"mode":"frozen","now":%q}}`,
		start().Format(time.RFC3339))
	first := c.create(t, members)
	for _, row := range []struct {
		name string
		end  func(t *testing.T, w *world)
	}{
		{"a device code of thirty minutes", deviceCode},
		{"a channel of seven days", channel},
		{"thirty days of a feed", feed},
		{"a key of ninety days", key},
		{"an hour of a limit", limitWindow},
		{"a day of further attempts", attempts},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := first.fork(t)
			before, began := worked(t), time.Now()
			row.end(t, w)
			cost := worked(t) - before
			t.Logf("%v of work, %v in all", cost.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
			// On a busy machine waiting says nothing; the race detector takes its share.
			if limit := time.Second; cost > limit && !program.RaceEnabled() {
				t.Errorf("took %v of the processor, want at most %v", cost, limit)
			}
		})
	}
}

// worked is the processor time of this process so far.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func deviceCode(t *testing.T, w *world) {
	id, secret := w.Env["STOA_DEVICE_CLIENT_ID"], w.Env["STOA_DEVICE_CLIENT_SECRET"]
	made := w.ask(t, "POST", "/device/code", "-", url.Values{"client_id": {id}, "scope": {"video"}}.Encode()).
		want(t, http.StatusOK).object(t)
	if made["expires_in"] != 1800.0 {
		t.Fatalf("%v, want thirty minutes", made)
	}
	poll := func(want string) {
		t.Helper()
		got := w.ask(t, "POST", "/token", "-", url.Values{
			"client_id": {id}, "client_secret": {secret}, "device_code": {fmt.Sprint(made["device_code"])},
			"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
		}.Encode())
		if got.object(t)["error"] != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	w.advanceTo(t, start().Add(30*time.Minute-time.Second))
	poll("authorization_pending")
	w.advanceTo(t, start().Add(30*time.Minute))
	poll("expired_token")
}

// receiving is a receiver of messages and a copy of the world in a lab that trusts it: whom worlds send to is the
// operator's to say.
func receiving(t *testing.T, w *world, reply http.HandlerFunc) (*delivertest.Receiver, *world) {
	t.Helper()
	root := delivertest.NewAuthority(t)
	receiver := delivertest.Start(t, root, "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{root.Issue(t)}})
	receiver.Reply(reply)
	config := app.DefaultConfig()
	config.Deliver.TrustedCAFile, config.Deliver.Allow = root.File, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	there := openConfigured(t, t.TempDir(), io.Discard, config)
	file := w.control.call(t, "GET", w.path()+"/export", "").want(t, http.StatusOK).body
	return receiver, there.world(t, there.call(t, "POST", "/worlds/import", string(file)).want(t, http.StatusCreated))
}

const calendarEvents = "/calendar/v3/calendars/primary/events"

// watch opens a channel and returns when it ends.
func watch(t *testing.T, w *world, address string) time.Time {
	t.Helper()
	made := w.ask(t, "POST", calendarEvents+"/watch", "",
		`{"id":"channel-1","type":"web_hook","address":"`+address+`"}`).want(t, http.StatusOK).object(t)
	ms, err := strconv.ParseInt(fmt.Sprint(made["expiration"]), 10, 64)
	if err != nil {
		t.Fatalf("%v: %v", made, err)
	}
	return time.UnixMilli(ms).UTC()
}

func channel(t *testing.T, w *world) {
	receiver, w := receiving(t, w, delivertest.Answer(http.StatusOK))
	end := watch(t, w, receiver.URL+"/hook")
	if want := start().Add(7 * day); !end.Equal(want) {
		t.Errorf("the channel ends at %v, want %v", end, want)
	}
	change := func(want int) {
		t.Helper()
		w.ask(t, "POST", calendarEvents, "", `{"summary":"x",`+wholeDay+`}`).want(t, http.StatusOK)
		w.settle(t)
		if got := len(receiver.Requests()); got != want {
			t.Errorf("%d messages, want %d", got, want)
		}
	}
	w.advanceTo(t, end.Add(-time.Second))
	change(2) // with the one that opened the channel
	w.advanceTo(t, end)
	change(2)
}

func feed(t *testing.T, w *world) {
	shown := func() (times []time.Time) {
		t.Helper()
		var list []struct {
			CreatedAt time.Time `json:"created_at"`
		}
		a := w.ask(t, "GET", "/users/ada/events?per_page=100", "", "").want(t, http.StatusOK)
		if err := json.Unmarshal(a.body, &list); err != nil {
			t.Fatalf("%v: %v", a, err)
		}
		for _, e := range list {
			times = append(times, e.CreatedAt)
		}
		return times
	}
	at := shown()
	if len(at) == 0 {
		t.Fatal("the demo has no events")
	}
	newest := at[0]
	w.advanceTo(t, newest.Add(30*day-time.Second))
	if at := shown(); len(at) == 0 || !at[0].Equal(newest) {
		t.Errorf("a second before thirty days: %v, want %v", at, newest)
	}
	w.advanceTo(t, newest.Add(30*day+time.Second))
	if at := shown(); len(at) != 0 {
		t.Errorf("after thirty days: %v, want none", at)
	}
}

func key(t *testing.T, w *world) {
	refresh := func(w *world, key, body string) answer {
		t.Helper()
		return w.ask(t, "POST", "/v2/api-keys/refresh", key, body)
	}
	made := refresh(w, w.Env["STOA_SCHEDULING_KEY"], `{"apiKeyDaysValid":90}`).want(t, http.StatusOK).object(t)
	key := fmt.Sprint(made["data"].(map[string]any)["apiKey"])
	w.advanceTo(t, start().Add(90*day-time.Second))
	// Using the key uses it up, which a fork does not show to this world.
	refresh(w.fork(t), key, "{}").want(t, http.StatusOK)
	w.advanceTo(t, start().Add(90*day))
	refresh(w, key, "{}").want(t, http.StatusUnauthorized)
}

func limitWindow(t *testing.T, w *world) {
	events := func() answer {
		t.Helper()
		return w.ask(t, "GET", "/events", "-", "")
	}
	var last answer
	for range 60 {
		last = events().want(t, http.StatusOK)
	}
	reset, err := strconv.ParseInt(last.header.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if at := time.Unix(reset, 0); at.Before(start()) || at.After(start().Add(time.Hour)) {
		t.Errorf("the limit ends at %v, want within an hour of %v", at.UTC(), start())
	}
	events().want(t, http.StatusForbidden)
	w.advanceTo(t, time.Unix(reset-1, 0).UTC())
	events().want(t, http.StatusForbidden)
	w.advanceTo(t, time.Unix(reset, 0).UTC())
	events().want(t, http.StatusOK)
}

func attempts(t *testing.T, w *world) {
	receiver, w := receiving(t, w, delivertest.Answer(http.StatusServiceUnavailable))
	watch(t, w, receiver.URL+"/hook")
	w.settle(t)
	if got := len(receiver.Requests()); got != 1 {
		t.Fatalf("%d attempts at first, want 1", got)
	}
	// The pauses vary by a fifth; the last attempt is within 29 hours.
	m := w.advanceTo(t, start().Add(29*time.Hour))
	if got := len(receiver.Requests()); got != 10 {
		t.Errorf("%d attempts after a day, want 10; %d jobs ran", got, m.RanCount)
	}
	w.advanceTo(t, start().Add(6*day))
	if got := len(receiver.Requests()); got != 10 {
		t.Errorf("%d attempts after six days, want no more than 10", got)
	}
}
