package faultrule_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/faultrule"
)

// TestMatch checks every part of a match against a request that fits and one that
// does not.
func TestMatch(t *testing.T) {
	t.Parallel()
	const json, form = "application/json", "application/x-www-form-urlencoded"
	type request struct {
		method, path, body string
		header             []string
	}
	create := request{"POST", "/things", `{"kind":"a","n":1,"list":[{"x":true}]}`, []string{"Content-Type", json}}
	get := request{"GET", "/things/one", "", []string{"Authorization", "Bearer ada", "X-Mode", "slow and steady"}}
	for _, row := range []struct {
		match   string
		fits    request
		fitsNot request
	}{
		{`{}`, create, request{}},
		{`{"service":"things"}`, create, request{}},
		{`{"operation":"things.create"}`, create, get},
		{`{"method":"GET"}`, get, create},
		{`{"path":"/things/*"}`, get, create},
		{`{"path":"/**/one"}`, get, create},
		{`{"path":"**"}`, get, request{}},
		{`{"caller":"ada"}`, get, create},
		{`{"caller":"token user=*"}`, get, create},
		{`{"header":{"x-mode":"slow*"}}`, get, create},
		{`{"body":{"/kind":"a"}}`, create, get},
		{`{"body":{"/n":1,"/list/0/x":true}}`, create, get},
		{`{"body":{"/kind":"a"}}`, request{"POST", "/things", "kind=a&b=c", []string{"Content-Type", form}},
			request{"POST", "/things", "kind=b", []string{"Content-Type", form}}},
		{`{"body":{"/list/1":null}}`, request{"POST", "/things", `{"list":[1,null]}`, nil},
			request{"POST", "/things", `{"list":[1]}`, nil}},
	} {
		t.Run(row.match, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.add(t, `{"match":`+row.match+`,"deed":{"status":418}}`)
			if got := f.call(row.fits.method, row.fits.path, row.fits.body, row.fits.header...).Code; got != 418 {
				t.Errorf("a request that fits: %d", got)
			}
			if row.fitsNot.method == "" {
				return
			}
			no := row.fitsNot
			if got := f.call(no.method, no.path, no.body, no.header...).Code; got != 200 {
				t.Errorf("a request that does not fit: %d", got)
			}
		})
	}
}

// TestBodyIsPutBack checks that a handler reads what a rule has looked at.
func TestBodyIsPutBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{"body":{"/kind":"b"}},"deed":{"status":418}}`)
	for _, body := range []string{`{"kind":"a"}`, "not JSON", strings.Repeat("x", 1<<20)} {
		if got := f.call("POST", "/things", body).Code; got != 200 || f.seen[len(f.seen)-1] != body {
			t.Errorf("%d, the handler read %.20q of %.20q", got, f.seen[len(f.seen)-1], body)
		}
	}
}

// hits are the numbers of the calls, counted from 1, that met the rule.
func hits(t *testing.T, when string, calls int) []int {
	t.Helper()
	f := newFixture(t)
	f.add(t, `{"match":{},"when":`+when+`,"deed":{"status":418}}`)
	var list []int
	for n := 1; n <= calls; n++ {
		if f.call("GET", "/things", "").Code == 418 {
			list = append(list, n)
		}
		f.clock.Advance(time.Minute)
	}
	if status := f.set.List()[0]; status.Hits != int64(len(list)) {
		t.Errorf("%s: %d hits are counted, want %d", when, status.Hits, len(list))
	}
	return list
}

func TestWhen(t *testing.T) {
	t.Parallel()
	for when, want := range map[string][]int{
		`{}`:                    {1, 2, 3, 4, 5, 6},
		`{"nth":2}`:             {2},
		`{"every":2}`:           {2, 4, 6},
		`{"first":2}`:           {1, 2},
		`{"after":4}`:           {5, 6},
		`{"after":2,"first":2}`: {3, 4},
		`{"after":1,"every":2}`: {3, 5},
		`{"share":0}`:           nil,
		`{"share":1,"first":1}`: {1},
		`{"from":"2026-03-01T09:02:00Z","until":"2026-03-01T09:04:00Z"}`: {3, 4},
		`{"from":"2026-03-01T09:04:00Z","first":1}`:                      {5},
	} {
		if got := hits(t, when, 6); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
}

// TestShareFollowsTheSeed checks that a share hits about so many, and always the same.
func TestShareFollowsTheSeed(t *testing.T) {
	t.Parallel()
	first, again := hits(t, `{"share":0.3}`, 1000), hits(t, `{"share":0.3}`, 1000)
	if !slices.Equal(first, again) || len(first) < 250 || len(first) > 350 {
		t.Errorf("%d and %d hits, want the same 300 or so", len(first), len(again))
	}
}

// TestFirstRuleDecides checks that rules after the one that was met do not count.
func TestFirstRuleDecides(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{},"when":{"nth":2},"deed":{"status":418}}`)
	f.add(t, `{"match":{},"when":{"first":1},"deed":{"status":419}}`)
	var got []int
	for range 3 {
		got = append(got, f.call("GET", "/things", "").Code)
	}
	if !slices.Equal(got, []int{419, 418, 200}) {
		t.Errorf("got %v", got)
	}
	if !f.set.Remove("f1") || f.set.Remove("f1") || len(f.set.List()) != 1 || len(f.set.Unmet()) != 0 {
		t.Errorf("after removing: %+v", f.set.List())
	}
	f.set.Clear()
	f.add(t, `{"match":{},"when":{"nth":9},"deed":{"status":418}}`)
	if list := f.set.Unmet(); len(list) != 1 || list[0].ID != "f1" {
		t.Errorf("after clearing: %+v, want a first rule again", list)
	}
}

// TestRefusals checks that each error names the member and the next step.
func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for rule, want := range map[string]string{
		`{"match":{"service":"thing"},"deed":{"reset":true}}`:                    "match.service",
		`{"match":{"operation":"things.lst"},"deed":{"reset":true}}`:             "match.operation",
		`{"match":{"method":"get"},"deed":{"reset":true}}`:                       "match.method",
		`{"match":{"path":"things"},"deed":{"reset":true}}`:                      "match.path",
		`{"match":{"header":{"":"x"}},"deed":{"reset":true}}`:                    "match.header",
		`{"match":{"body":{"kind":"x"}},"deed":{"reset":true}}`:                  "match.body",
		`{"match":{"service":"jobs","path":"/x"},"deed":{"fail":"x"}}`:           "match",
		`{"match":{},"when":{"nth":0},"deed":{"reset":true}}`:                    "when.nth",
		`{"match":{},"when":{"share":1.5},"deed":{"reset":true}}`:                "when.share",
		`{"match":{},"deed":{}}`:                                                 "deed",
		`{"match":{},"deed":{"reset":true,"status":500}}`:                        "deed",
		`{"match":{},"deed":{"drop":true}}`:                                      "deed",
		`{"match":{"service":"deliveries"},"deed":{"status":500}}`:               "deed",
		`{"match":{"service":"jobs"},"deed":{"drop":true}}`:                      "deed",
		`{"match":{"service":"keys"},"deed":{"cut":{"afterBytes":1}}}`:           "deed",
		`{"match":{},"deed":{"status":100}}`:                                     "deed.status",
		`{"match":{},"deed":{"status":204,"body":{}}}`:                           "deed.body",
		`{"match":{},"deed":{"status":200,"headers":{"a b":"c"}}}`:               "deed.headers",
		`{"match":{},"deed":{"delay":"0s"}}`:                                     "deed.delay",
		`{"match":{},"deed":{"clock":"world"}}`:                                  "deed.delay",
		`{"match":{},"deed":{"delay":"1s","clock":"mars"}}`:                      "deed.clock",
		`{"match":{"service":"jobs"},"deed":{"delay":"1s","clock":"real"}}`:      "deed.clock",
		`{"match":{},"deed":{"cut":{"afterBytes":-1}}}`:                          "deed.cut.afterBytes",
		`{"match":{},"deed":{"drip":{"bytesPerSecond":0}}}`:                      "deed.drip.bytesPerSecond",
		`{"match":{"service":"deliveries"},"deed":{"duplicate":1}}`:              "deed.duplicate",
		`{"match":{},"deed":{"fault":"nothing"}}`:                                "deed.fault",
		`{"match":{"operation":"things.list"},"deed":{"fault":"out_of_things"}}`: "deed.fault",
		`{"match":{"service":"keys"},"deed":{"fault":"out_of_things"}}`:          "deed.fault",

		// Apart, since the column of the others would be as wide.
		`{"match":{},"when":{"from":"2026-03-02T00:00:00Z","until":"2026-03-01T00:00:00Z"},"deed":{"reset":true}}`: "when.until",
	} {
		var refused *faultrule.Error
		if err := f.tryAdd(rule); !errors.As(err, &refused) || refused.Member != want || refused.Next == "" {
			t.Errorf("%s: got %v, want a refusal of %s with a next step", rule, err, want)
		}
	}
	for _, rule := range []string{
		`{"match":{"servce":"things"},"deed":{"reset":true}}`, `{"match":{},"deed":{"delay":"soon"}}`,
	} {
		if err := f.tryAdd(rule); err == nil {
			t.Errorf("%s is taken", rule)
		}
	}
	soon := f.tryAdd(`{"match":{},"deed":{"delay":"soon"}}`)
	if soon == nil || !strings.Contains(soon.Error(), `a member must be a duration such as 90m, 1h30m or 7d, not "soon"`) {
		t.Errorf("a delay that is no duration: %v", soon)
	}
	err := f.tryAdd(`{"match":{"operation":"things.lst"},"deed":{"reset":true}}`)
	var refused *faultrule.Error
	if !errors.As(err, &refused) || !strings.Contains(refused.Next, "things.list") {
		t.Errorf("got %+v, want a hint at things.list", err)
	}
}

// TestFaultOfAnotherService: the hint names the service whose every operation meets the fault.
func TestFaultOfAnotherService(t *testing.T) {
	t.Parallel()
	err := newFixture(t).tryAdd(`{"match":{"operation":"things.get"},"deed":{"fault":"late"}}`)
	var refused *faultrule.Error
	if !errors.As(err, &refused) || refused.Next != "match one of the operations of others" {
		t.Errorf("got %+v", err)
	}
}

// TestNamedFaults checks that errors go through the envelope, and the common ones.
func TestNamedFaults(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"out_of_things": 409, "unavailable": 503, "internal": 500, "rate_limited": 429, "deadline_exceeded": 504,
		"credential_expired": 401,
	} {
		f := newFixture(t)
		f.add(t, `{"match":{"service":"things"},"deed":{"fault":"`+name+`"}}`)
		answer := f.call("POST", "/things", "")
		if answer.Code != want || !slices.Equal(f.faced, []string{name}) {
			t.Errorf("%s: got %d and the name %q, want %d", name, answer.Code, f.faced, want)
		}
		if retry := answer.Header().Get("Retry-After"); (retry != "") != (name == "unavailable") {
			t.Errorf("%s: Retry-After is %q", name, retry)
		}
		// Its operations are those of the catalogue, also when the rule names none.
		if got := f.call("GET", "/things", "").Code; (got == 200) != (name == "out_of_things") {
			t.Errorf("%s: another operation is answered with %d", name, got)
		}
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add(t, `{"match":{"method":"GET"},"deed":{"status":503,"headers":{"Retry-After":"7"},"body":{"a":1}}}`)
	f.add(t, `{"match":{"method":"POST"},"deed":{"status":502,"headers":{"Content-Type":"text/html"},"body":"<p>"}}`)
	got := f.call("GET", "/things", "")
	if got.Code != 503 || got.Body.String() != `{"a":1}` || got.Header().Get("Retry-After") != "7" ||
		got.Header().Get("Content-Type") != "application/json" || len(f.seen) != 0 {
		t.Errorf("got %d %v %s", got.Code, got.Header(), got.Body)
	}
	got = f.call("POST", "/things", "")
	if got.Code != 502 || got.Body.String() != "<p>" || got.Header().Get("Content-Type") != "text/html" {
		t.Errorf("got %d %v %s", got.Code, got.Header(), got.Body)
	}
}

// BenchmarkNoMatch measures a request that ten rules do not match.
func BenchmarkNoMatch(b *testing.B) {
	f := newFixture(b)
	for i := range 10 {
		f.add(b, fmt.Sprintf(`{"match":{"service":"things","path":"/other/%d/**"},"deed":{"reset":true}}`, i))
	}
	request := f.request(http.MethodGet, "/things/one")
	b.ReportAllocs()
	for b.Loop() {
		if f.set.FindFault("things", request) != nil {
			b.Fatal("a rule matches")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/rule")
}
