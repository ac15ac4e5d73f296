package journal_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/journal/statusclass"
)

func day(n int) time.Time { return time.Date(2026, time.March, n, 9, 0, 0, 0, time.UTC) }

func full(o journal.Options) *journal.Journal {
	j := journal.New(o)
	j.SetMode(journal.Full)
	return j
}

// put keeps a request to /things with bodies.
func put(j *journal.Journal, e journal.Entry, request, response string) *journal.Record {
	d := j.Begin(context.Background())
	d.AddRequest([]byte(request))
	d.AddResponse([]byte(response))
	if e.Path == "" {
		e.Path = "/things"
	}
	if e.Target == "" {
		e.Target = e.Path
	}
	return d.Finish(&e)
}

func numbers(records []*journal.Record) (list []uint64) {
	for _, r := range records {
		list = append(list, r.Number())
	}
	return list
}

func TestOffKeepsNothing(t *testing.T) {
	t.Parallel()
	var none *journal.Journal
	if d := none.Begin(t.Context()); d != nil {
		t.Error("a nil journal began a draft")
	}
	j := journal.New(journal.Options{})
	d := j.Begin(t.Context())
	d.AddRequest([]byte("x"))
	d.AddCause("job", "1")
	d.SetFault("f", "f1")
	if r := d.Finish(&journal.Entry{}); r != nil || j.Count() != 0 || j.Bytes() != 0 {
		t.Errorf("off: %v, %d records", r, j.Count())
	}
	j.SetMode(journal.Full)
	late := j.Begin(t.Context())
	put(j, journal.Entry{}, "a", "b")
	if j.Count() != 1 {
		t.Fatalf("%d records, want 1", j.Count())
	}
	j.SetMode(journal.Off)
	late.Finish(&journal.Entry{})
	if j.Count() != 0 || j.Bytes() != 0 {
		t.Errorf("after off: %d records, %d bytes", j.Count(), j.Bytes())
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	t.Run("count", func(t *testing.T) {
		t.Parallel()
		j := full(journal.Options{MaxRecords: 1000})
		for range 2500 {
			put(j, journal.Entry{}, "", "")
		}
		if j.Count() != 1000 || j.Get(1500) != nil || j.Get(1501) == nil || j.Get(2500) == nil || j.Get(2501) != nil {
			t.Errorf("%d records, want the last 1000", j.Count())
		}
		n := uint64(1501)
		for r := range j.OldestFirst() {
			if r.Number() != n {
				t.Fatalf("number %d, want %d", r.Number(), n)
			}
			n++
		}
		if n != 2501 {
			t.Errorf("ended before %d", n)
		}
	})
	t.Run("bytes", func(t *testing.T) {
		t.Parallel()
		j := full(journal.Options{MaxBytes: 100 << 10})
		for range 100 {
			put(j, journal.Entry{}, strings.Repeat("x", 10<<10), "")
		}
		if j.Bytes() > 100<<10 || j.Count() != 9 {
			t.Errorf("%d records of %d bytes, want 9 below the bound", j.Count(), j.Bytes())
		}
	})
	t.Run("body", func(t *testing.T) {
		t.Parallel()
		j := full(journal.Options{MaxBody: 4})
		r := put(j, journal.Entry{}, "12345", "1234")
		if r.RequestBody() != "1234" || !r.RequestCut || r.ResponseBody() != "1234" || r.ResponseCut {
			t.Errorf("%q %v, %q %v", r.RequestBody(), r.RequestCut, r.ResponseBody(), r.ResponseCut)
		}
		if _, whole := r.Sent(); whole {
			t.Error("a request that was cut can be sent again")
		}
	})
	t.Run("pool", func(t *testing.T) {
		t.Parallel()
		pool := journal.NewPool(100 << 10)
		one, two := full(journal.Options{Pool: pool}), full(journal.Options{Pool: pool})
		for range 100 {
			put(one, journal.Entry{}, strings.Repeat("x", 1<<10), "")
		}
		for range 100 {
			put(two, journal.Entry{}, strings.Repeat("x", 1<<10), "")
		}
		put(one, journal.Entry{}, "", "")
		if one.Bytes()+two.Bytes() > 102<<10 || one.Count() < 20 || two.Count() < 20 {
			t.Errorf("%d and %d bytes, want about half of the pool each", one.Bytes(), two.Bytes())
		}
		one.Clear()
		two.Reset()
		for range 60 {
			put(one, journal.Entry{}, strings.Repeat("x", 1<<10), "")
		}
		if one.Count() != 60 || two.Count() != 0 {
			t.Errorf("%d and %d records, want 60 in the one that is left", one.Count(), two.Count())
		}
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	put(j, journal.Entry{}, "", "")
	j.Clear()
	if r := put(j, journal.Entry{}, "", ""); r.ID() != "2" || j.Get(1) != nil {
		t.Errorf("after clear: %s, want 2", r.ID())
	}
	j.Reset()
	if r := put(j, journal.Entry{}, "", ""); r.ID() != "1" {
		t.Errorf("after reset: %s, want 1", r.ID())
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	d := j.Begin(t.Context())
	type key struct{}
	ctx := context.WithValue(d, key{}, 1) // what work for the request has
	from := journal.From(ctx)
	from.AddCause("tasks.sweep", "7")
	from.AddLimit(journal.Limit{Name: "day", Limit: 10, Remaining: 9})
	from.SetFault("slow", "f1")
	from.SetDecoded(reflect.TypeFor[struct {
		Title string `json:"title"`
	}]())
	from.AddRequest([]byte(`{"title":"x","ttile":"y"}`))
	r := d.Finish(&journal.Entry{
		At: day(1), Duration: time.Millisecond, Service: "things", Operation: "things.insert", Method: "POST",
		Path: "/things", Target: "/things", Query: "a=1&token=abc", Status: 201, Caller: "user ada",
		RequestHeader:  map[string][]string{"Authorization": {"Bearer abcdefgh"}, "Accept": {"a", "b"}},
		ResponseHeader: map[string][]string{"Set-Cookie": {"a=1"}, "Location": {"http://h/x?code=123&y=2"}},
	})
	want := map[string]any{
		"cause": []journal.Cause{{Kind: "tasks.sweep", ID: "7"}}, "limits": 1, "fault": "slow", "unread": []string{"/ttile"},
		"query": "a=1&token=***", "caller": "user ada",
		"request":  map[string][]string{"Authorization": {"***"}, "Accept": {"a", "b"}},
		"response": map[string][]string{"Set-Cookie": {"***"}, "Location": {"http://h/x?code=***&y=2"}},
	}
	got := map[string]any{
		"cause": r.Caused, "limits": len(r.Limits), "fault": r.Fault(), "unread": r.Unread(), "query": r.Query(),
		"caller": r.Caller(), "request": r.RequestHeader(), "response": r.ResponseHeader(),
	}
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: %v, want %v", name, got[name], want[name])
		}
	}
	sent, whole := r.Sent()
	if !whole || sent.Query != "a=1&token=abc" || sent.Header["Authorization"][0] != "Bearer abcdefgh" {
		t.Errorf("sent %+v %v, want it with its secrets", sent, whole)
	}
}

func TestBriefKeepsNoSecret(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Options{})
	j.SetMode(journal.Brief)
	r := put(j, journal.Entry{
		Query: "token=secret1", Target: "/things/secret2", RequestHeader: map[string][]string{"X": {"secret3"}},
	}, "secret4", "secret5")
	if text := fmt.Sprintf("%+v", *r); strings.Contains(text, "secret") {
		t.Errorf("a secret is kept: %s", text)
	}
	if _, whole := r.Sent(); whole {
		t.Error("it can be sent again")
	}
}

func TestMaskedBodies(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ media, text, want string }{
		"members": {
			"application/json", `{"a":"b","access_token":"t","n":{"clientSecret" : "s\"s","password":""},"expires":3}`,
			`{"a":"b","access_token":"***","n":{"clientSecret" : "***","password":""},"expires":3}`,
		},
		"lists":     {"application/json", `{"tokens":["a","b"],"c":["d"]}`, `{"tokens":["***","***"],"c":["d"]}`},
		"objects":   {"application/json", `{"versionKey":{"name":"x"}}`, `{"versionKey":{"name":"x"}}`},
		"numbers":   {"application/json", `{"totalTokens":5,"x":"y"}`, `{"totalTokens":5,"x":"y"}`},
		"errors":    {"application/json", `{"code":"not_found"}`, `{"code":"not_found"}`},
		"codes":     {"application/json", `{"code":"0123456789abcdef0123"}`, `{"code":"***"}`},
		"cut":       {"application/json", `{"token":"abc`, `{"token":"***`},
		"events":    {"text/event-stream", "data: {\"token\":\"a\"}\n\n", "data: {\"token\":\"***\"}\n\n"},
		"edn":       {"application/edn", `{:token "abc", :name "x"}`, `{:token "***", :name "x"}`},
		"form":      {"application/x-www-form-urlencoded", "user=ada&password=x&code=y", "user=ada&password=***&code=***"},
		"repeated":  {"text/plain", "you sent abcdefgh", "you sent ***"},
		"page":      {"text/html; charset=utf-8", "<p>a token</p>", ""},
		"plain":     {"text/plain", "hello", "hello"},
		"not names": {"application/json", `["token","x"]`, `["token","x"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := map[string][]string{"Content-Type": {row.media}, "Authorization": {"Bearer abcdefgh"}}
			r := put(full(journal.Options{}), journal.Entry{RequestHeader: h, ResponseHeader: h}, row.text, row.text)
			if r.RequestBody() != row.want || r.ResponseBody() != row.want {
				t.Errorf("%q and %q, want %q", r.RequestBody(), r.ResponseBody(), row.want)
			}
			if row.want == "" && (!r.RequestCut || !r.ResponseCut) {
				t.Error("it does not say that a body is missing")
			}
		})
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

func TestPackedBody(t *testing.T) {
	t.Parallel()
	h := map[string][]string{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
	r := put(full(journal.Options{}), journal.Entry{ResponseHeader: h}, "", gzipped(t, `{"token":"x","a":1}`))
	if want := `{"token":"***","a":1}`; r.ResponseBody() != want {
		t.Errorf("%q, want %q", r.ResponseBody(), want)
	}
}

func FuzzMaskedBody(f *testing.F) {
	f.Add(`{"token":"abc","x":["y"]}`)
	f.Add(`{"token":"a\`)
	f.Fuzz(func(t *testing.T, text string) {
		r := put(full(journal.Options{}), journal.Entry{}, text, `{"password":"hunter2hunter2"}`)
		if len(r.RequestBody()) > len(text)*4+8 || strings.Contains(r.ResponseBody(), "hunter2") {
			t.Errorf("%q became %q, %q", text, r.RequestBody(), r.ResponseBody())
		}
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	auth := map[string][]string{"Authorization": {"Bearer verysecret"}, "Content-Type": {"application/json"}}
	put(j, journal.Entry{
		At: day(1), Service: "a", Operation: "a.get", Method: "GET", Path: "/a/1", Status: 200,
		Caller: "personal user=ada",
	}, "", "one")
	put(j, journal.Entry{
		At: day(2), Service: "b", Operation: "b.put", Method: "PUT", Path: "/b/1", Status: 404, Reason: "no such thing",
	}, "", "")
	put(j, journal.Entry{
		At: day(3), Service: "a", Operation: "a.put", Method: "PUT", Path: "/a/2", Status: 201, RequestHeader: auth,
	}, `{"n":1,"s":{"t":["x"]}}`, "")
	put(j, journal.Entry{
		At: day(4), Service: "a", Operation: "a.get", Method: "GET", Path: "/a/1/c", Status: 429,
		Query: "q=needle&token=hidden",
	}, "", "")
	status := func(text string) statusclass.Status {
		s, ok := statusclass.Parse(text)
		if !ok {
			t.Fatalf("%q is not a status", text)
		}
		return s
	}
	for name, row := range map[string]struct {
		filter journal.Filter
		want   []uint64
	}{
		"all":           {journal.Filter{}, []uint64{4, 3, 2, 1}},
		"service":       {journal.Filter{Service: "b"}, []uint64{2}},
		"operation":     {journal.Filter{Operation: "a.get"}, []uint64{4, 1}},
		"method":        {journal.Filter{Method: "PUT"}, []uint64{3, 2}},
		"path":          {journal.Filter{Path: "/a/*"}, []uint64{3, 1}},
		"status":        {journal.Filter{Status: status("404")}, []uint64{2}},
		"class":         {journal.Filter{Status: status("4xx")}, []uint64{4, 2}},
		"caller":        {journal.Filter{Caller: "ada"}, []uint64{1}},
		"whole caller":  {journal.Filter{Caller: "personal user=ada"}, []uint64{1}},
		"other caller":  {journal.Filter{Caller: "ad"}, nil},
		"since":         {journal.Filter{Since: day(3)}, []uint64{4, 3}},
		"reason":        {journal.Filter{Text: "no such"}, []uint64{2}},
		"body":          {journal.Filter{Text: "one"}, []uint64{1}},
		"query":         {journal.Filter{Text: "needle"}, []uint64{4}},
		"masked":        {journal.Filter{Text: "hidden"}, nil},
		"secret header": {journal.Filter{Text: "verysecret"}, nil},
		"header":        {journal.Filter{Header: map[string]string{"Authorization": "Bearer *"}}, []uint64{3}},
		"member":        {journal.Filter{Body: map[string]any{"/n": 1.0, "/s/t/0": "x"}}, []uint64{3}},
		"other member":  {journal.Filter{Body: map[string]any{"/n": 2.0}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, next := j.Find(&row.filter, 0, 10)
			if got := numbers(found); !reflect.DeepEqual(got, row.want) || next != 0 {
				t.Errorf("found %v, %d; want %v", got, next, row.want)
			}
		})
	}
	found, next := j.Find(&journal.Filter{}, 0, 3)
	if next != 2 || len(found) != 3 {
		t.Fatalf("first page: %v, next %d", numbers(found), next)
	}
	found, next = j.Find(&journal.Filter{}, next, 3)
	if next != 0 || !reflect.DeepEqual(numbers(found), []uint64{1}) {
		t.Errorf("second page: %v, next %d", numbers(found), next)
	}
	for _, text := range []string{"x", "40", "0xx", "4x", "1000"} {
		if _, ok := statusclass.Parse(text); ok {
			t.Errorf("%q is taken as a status", text)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	put(j, journal.Entry{Operation: "a.get", Method: "GET", Path: "/a", Status: 200}, "", "")
	header := map[string][]string{"Content-Type": {"application/json"}}
	put(j, journal.Entry{
		Operation: "a.put", Method: "PUT", Path: "/a", Status: 400, Reason: "too long", RequestHeader: header,
	}, `{"title":"y","token":"t"}`, "")
	ok, _ := statusclass.Parse("200")
	r, why := j.Nearest(&journal.Filter{
		Operation: "a.put", Status: ok, Header: map[string]string{"If-Match": "*"},
		Body: map[string]any{"/title": "x", "/token": "u", "/z": nil},
	})
	want := `its status is 400 (too long), not 200, and it has no header If-Match, and its body has "y" at /title, ` +
		`not "x", and its body has "***" at /token, not "u", and its body has no /z`
	if r.ID() != "2" || why != want {
		t.Errorf("%s: %s\nwant 2: %s", r.ID(), why, want)
	}
	if r, _ := full(journal.Options{}).Nearest(&journal.Filter{}); r != nil {
		t.Error("a record out of nothing")
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	w := j.Watch()
	put(j, journal.Entry{Path: "/seen"}, "", "")
	if r := <-w.Records(); r.Path() != "/seen" {
		t.Errorf("%s, want /seen", r.Path())
	}
	for range 1030 {
		put(j, journal.Entry{}, "", "")
	}
	if n := w.Missed(); n != 6 {
		t.Errorf("missed %d, want 6", n)
	}
	w.Stop()
	other := j.Watch()
	j.Close()
	if _, open := <-other.Records(); open {
		t.Error("a closed journal tells more")
	}
	other.Stop()
	if _, open := <-j.Watch().Records(); open {
		t.Error("a closed journal is watched")
	}
	put(j, journal.Entry{}, "", "")
	if j.Count() != 0 {
		t.Error("a closed journal keeps records")
	}
}

func TestConcurrently(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{MaxRecords: 600})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 500 {
				put(j, journal.Entry{Path: fmt.Sprint("/", i)}, "a", "b")
				if n%100 == 0 {
					found, _ := j.Find(&journal.Filter{Text: "b"}, 0, 1000)
					if len(found) > 600+8 {
						t.Errorf("found %d", len(found))
					}
				}
			}
		})
	}
	group.Wait()
	if j.Count() != 600 {
		t.Errorf("%d records, want 600", j.Count())
	}
}

// TestFindMany: pages of a large journal hold every match once, newest first.
func TestFindMany(t *testing.T) {
	t.Parallel()
	const n, every = 20_000, 7
	j := full(journal.Options{MaxRecords: n, MaxBytes: 1 << 30})
	for i := range n {
		put(j, journal.Entry{At: day(1), Path: fmt.Sprint("/", i), Status: 200 + i%every}, "", "")
	}
	want := (n - 1) / every * every
	status, _ := statusclass.Parse("200")
	for next := uint64(0); ; {
		var found []*journal.Record
		found, next = j.Find(&journal.Filter{Status: status}, next, 999)
		for _, r := range found {
			if got := r.Path(); got != fmt.Sprint("/", want) {
				t.Fatalf("found %s, want /%d", got, want)
			}
			want -= every
		}
		if next == 0 {
			break
		}
	}
	if want != -every {
		t.Errorf("ended before /%d", want)
	}
}
