package faultrule_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
)

// request is one on its way through the mux.
func (f *fixture) request(method, path string) *route.Request {
	return &route.Request{
		Request: httptest.NewRequest(method, path, http.NoBody), Route: &route.Route{Name: "things.get"},
	}
}

// serve answers on a real connection.
func (f *fixture) serve(t *testing.T, protocols string) (string, *http.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(f.mux)
	if protocols == "h2" {
		server.EnableHTTP2 = true
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL, server.Client()
}

func TestReset(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"http", "h2"} {
		f := newFixture(t)
		f.add(t, `{"match":{},"when":{"first":1},"deed":{"reset":true}}`)
		url, client := f.serve(t, protocol)
		response, err := client.Post(url+"/things", "text/plain", strings.NewReader("x"))
		if err == nil {
			_ = response.Body.Close()
			t.Fatalf("%s: got %s, want no answer", protocol, response.Status)
		}
		if protocol == "http" && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("got %v, want a reset", err)
		}
		if response, err = client.Get(url + "/things"); err != nil {
			t.Fatalf("%s: the next request: %v", protocol, err)
		}
		_ = response.Body.Close()
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"http", "h2"} {
		f := newFixture(t)
		f.add(t, `{"match":{"method":"GET"},"deed":{"cut":{"afterBytes":10}}}`)
		f.add(t, `{"match":{"method":"POST"},"deed":{"cut":{"afterBytes":10000}}}`)
		url, client := f.serve(t, protocol)
		response, err := client.Get(url + "/things")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err == nil || string(body) != `{"text":"x` || response.StatusCode != 200 {
			t.Errorf("%s: got %d %q and %v, want ten bytes and an error", protocol, response.StatusCode, body, err)
		}
		if response, err = client.Post(url+"/things", "text/plain", strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || len(body) != 101 {
			t.Errorf("%s: a body shorter than the cut: %d bytes, %v", protocol, len(body), err)
		}
	}
}

func TestDrip(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{},"deed":{"drip":{"bytesPerSecond":100000000}}}`)
	url, client := f.serve(t, "http")
	response, err := client.Get(url + "/things")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || len(body) != 101 {
		t.Errorf("got %d bytes, %v; want the whole body", len(body), err)
	}
}

// TestWorldDelay checks that a delay of a frozen world waits for an advance.
func TestWorldDelay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{},"deed":{"delay":"1h","clock":"world"}}`)
	done := make(chan int, 1)
	go func() { done <- f.call("GET", "/things", "").Code }()
	for {
		if at, waits := f.clock.NextDue(); waits {
			if at != start().Add(time.Hour) {
				t.Fatalf("it waits until %s", at)
			}
			break
		}
		select {
		case got := <-done:
			t.Fatalf("answered with %d before the clock moved", got)
		default:
		}
	}
	f.clock.Advance(time.Hour)
	if got := <-done; got != 200 {
		t.Errorf("got %d, want the true answer", got)
	}
	if held := f.last(t).Delay; held.World != time.Hour {
		t.Errorf("held back for %v of the world, want an hour", held)
	}
}

// last is the newest record of the journal.
func (f *fixture) last(t *testing.T) (last *journal.Record) {
	t.Helper()
	for r := range f.journal.OldestFirst() {
		last = r
	}
	if last == nil {
		t.Fatal("nothing is recorded")
	}
	return last
}

// TestDelayIsNotServerTime: what a fault waits, before the answer or in it, stands apart from the time that the
// service took.
func TestDelayIsNotServerTime(t *testing.T) {
	t.Parallel()
	for name, deed := range map[string]string{
		"delay": `{"delay":"2ms"}`, "drip": `{"drip":{"bytesPerSecond":50000}}`,
	} {
		f := newFixture(t)
		f.add(t, `{"match":{},"deed":`+deed+`}`)
		began := clock.Real().Now()
		f.call("GET", "/things", "")
		took := clock.Real().Now().Sub(began)
		r := f.last(t)
		if r.Delay.Machine < 2*time.Millisecond || r.Duration+r.Delay.Machine > took || r.Fault() == "" {
			t.Errorf("%s: %s of the service and %v of the fault, in %s", name, r.Duration, r.Delay, took)
		}
	}
}

func TestRealDelay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{},"deed":{"delay":"1ms"}}`)
	if got := f.call("GET", "/things", "").Code; got != 200 || len(f.seen) != 1 {
		t.Errorf("got %d, want the true answer", got)
	}
}

func TestRemoteCalls(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{"service":"keys","operation":"Encrypt"},"when":{"first":1},"deed":{"fault":"unavailable"}}`)
	f.add(t, `{"match":{},"deed":{"status":500}}`)
	call := func(procedure string) codes.Code {
		_, err := f.set.Call(t.Context(), faultrule.Remote{Service: "keys", Procedure: procedure, Clock: f.clock}, nil,
			func(context.Context, any) (any, error) { return "done", nil })
		return status.Code(err)
	}
	got := []codes.Code{call("Status"), call("Encrypt"), call("Encrypt")}
	if !slices.Equal(got, []codes.Code{codes.OK, codes.Unavailable, codes.OK}) {
		t.Errorf("got %v", got)
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{"service":"jobs","operation":"things.sweep","body":{"/id":"a"}},"deed":{"fail":"no power"}}`)
	f.add(t, `{"match":{"service":"jobs","operation":"things.count"},"deed":{"delay":"1h"}}`)
	f.add(t, `{"match":{},"deed":{"reset":true}}`)
	run := func(kind, id, payload string) error {
		return f.set.Job(jobs.Job{Kind: kind, ID: id}, []byte(payload))
	}
	if err := run("things.sweep", "1", `{"id":"a"}`); err == nil || err.Error() != "no power" {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(run("things.sweep", "1", `{"id":"b"}`), run("other", "2", "")); err != nil {
		t.Errorf("got %v", err)
	}
	// Each job waits once.
	if first, second := run("things.count", "3", ""), run("things.count", "3", ""); first == nil || second != nil {
		t.Errorf("got %v, %v", first, second)
	}
	if err := run("things.count", "4", ""); err == nil || f.set.List()[1].Hits != 2 {
		t.Errorf("got %v and %+v", err, f.set.List()[1])
	}
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{"service":"deliveries","operation":"calendar","path":"/hook"},
		"when":{"nth":1},"deed":{"drop":true}}`)
	f.add(t, `{"match":{"service":"deliveries","header":{"X-State":"sync"}},"deed":{"duplicate":3}}`)
	f.add(t, `{"match":{"service":"deliveries","body":{"/n":1}},"deed":{"delay":"90s"}}`)
	send := func(id, url, state, body string) deliver.Fault {
		return f.set.Delivery(deliver.Delivery{ID: id, Service: "calendar"},
			deliver.Request{Method: "POST", URL: url, Header: map[string]string{"X-State": state}, Body: []byte(body)})
	}
	for _, row := range []struct {
		got, want deliver.Fault
	}{
		{send("1", "https://a.example/hook", "exists", ""), deliver.Fault{Drop: true}},
		{send("1", "https://a.example/hook", "exists", ""), deliver.Fault{}},
		{send("2", "https://a.example/x", "sync", ""), deliver.Fault{Copies: 3}},
		{send("3", "https://a.example/x", "exists", `{"n":1}`), deliver.Fault{Delay: 90 * time.Second}},
		{send("3", "https://a.example/x", "exists", `{"n":1}`), deliver.Fault{}},
	} {
		if row.got != row.want {
			t.Errorf("got %+v, want %+v", row.got, row.want)
		}
	}
}

// TestAnswersChangedOnTheWay checks faults that run the operation and change its answer.
func TestAnswersChangedOnTheWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{"path":"/things/label"},"deed":{"fault":"wrong_content_type"}}`)
	f.add(t, `{"match":{"path":"/things/half"},"deed":{"fault":"truncated_gzip"}}`)
	w := f.call("GET", "/things/label", "")
	got := w.Header().Get("Content-Type")
	if got != "text/html; charset=utf-8" || !strings.HasPrefix(w.Body.String(), `{"text"`) {
		t.Errorf("got %s %s, want the true answer with another type", got, w.Body)
	}
	url, client := f.serve(t, "http")
	response, err := client.Get(url + "/things/half")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) || len(body) > 101 {
		t.Errorf("got %s, %d bytes and %v; want 200 and gzip that ends too early", response.Status, len(body), err)
	}
	if len(f.seen) != 2 {
		t.Errorf("the operation ran %d times, want 2", len(f.seen))
	}
}

// TestStaleRead checks that a rule repeats what it saw first, to the same caller alone,
// and that a new rule begins anew.
func TestStaleRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const rule = `{"match":{"service":"things"},"deed":{"fault":"stale_read"}}`
	f.add(t, rule)
	ran := func(path, caller string) int {
		t.Helper()
		before := len(f.seen)
		w := f.call("GET", path, "", "Authorization", "Bearer "+caller)
		if w.Code != http.StatusOK || w.Body.Len() != 101 || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d %s %v", path, w.Code, w.Body, w.Header())
		}
		return len(f.seen) - before
	}
	for i, want := range []int{1, 0, 0} {
		if got := ran("/things/1", "ada"); got != want {
			t.Errorf("call %d ran the operation %d times, want %d", i+1, got, want)
		}
	}
	if ran("/things/1", "kim") != 1 || ran("/things/2", "ada") != 1 {
		t.Error("another caller or address got the answer of the first")
	}
	f.set.Clear()
	f.add(t, rule)
	if ran("/things/1", "ada") != 1 {
		t.Error("a new rule repeats what an old one saw")
	}
	if err := f.tryAdd(`{"match":{"operation":"things.create"},"deed":{"fault":"stale_read"}}`); err == nil {
		t.Error("a write cannot be stale")
	}
}

// TestStaleReadIsBounded checks that what rules keep of answers has a bound over all of
// them, and that rules that are taken out give back their share.
func TestStaleReadIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const rule = `{"match":{},"deed":{"fault":"stale_read"}}`
	long := strings.Repeat("x", 1<<20)
	for round := range 2 {
		f.add(t, rule)
		repeated := 0
		for i := range 40 {
			path := "/things/" + strconv.Itoa(i) + "?" + long
			f.call("GET", path, "")
			before := len(f.seen)
			f.call("GET", path, "")
			if len(f.seen) == before {
				repeated++
			}
		}
		if repeated < 30 || repeated > 32 {
			t.Errorf("round %d: %d answers of a megabyte are kept, want 32 MB of them", round, repeated)
		}
		f.set.Clear()
	}
}
