package matrix_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/conformance"
	"stoa.dev/stoa/test/openapi/answers"
)

var (
	randomRequests = flag.Int("requests", 300, "how many random requests TestRandomRequests makes")
	randomSeed     = flag.Uint64("random-seed", 1, "what TestRandomRequests draws from")
)

// TestRandomRequests: whatever is asked, right or slightly wrong, the answer is one that the
// published description has: its status, its media type and its members.
func TestRandomRequests(t *testing.T) {
	t.Parallel()
	h := conformance.Start(t, conformance.Options{Configure: unlimited, Unobserved: true, Log: io.Discard})
	w := &randomCaller{
		owned:    &owned{writer: newWriter(t, build(t, h)), described: descriptions(t), gets: getPatterns()},
		rand:     rand.New(rand.NewPCG(*randomSeed, 1)),
		observer: conformance.Observe(t),
	}
	w.takeJSON = map[string]bool{}
	for _, o := range describedJSON(t) {
		w.takeJSON[o.service()+" "+o.name()] = true
	}
	list := w.askable()
	statuses := map[int]int{}
	for range *randomRequests {
		statuses[w.ask(t, list[w.rand.IntN(len(list))])/100]++
	}
	t.Logf("%d requests to %d operations; by the first digit of the status: %v", *randomRequests, len(list), statuses)
	if statuses[2] < *randomRequests/10 || statuses[4] < *randomRequests/10 {
		t.Errorf("answers are one-sided: %v", statuses)
	}
}

// randomCaller asks operations in ways that it draws.
type randomCaller struct {
	*owned
	rand     *rand.Rand
	observer *conformance.Observer
	takeJSON map[string]bool
	signIns  int
}

// askable are the operations that are described. What takes away a credential or a user of
// the fixtures is left out: everything after it would be refused.
func (w *randomCaller) askable() []operation {
	var list []operation
	for _, o := range operations() {
		_, described := w.described[o.module.Name+" "+o.name()]
		ends := strings.Contains(o.route.Pattern, "{access_token}") || strings.Contains(o.route.Pattern, "revoke")
		if described && !ends && ofTeam(o) == (o.host != "") {
			list = append(list, o)
		}
	}
	return list
}

// ask makes one request and returns the status.
func (w *randomCaller) ask(t *testing.T, o operation) int {
	t.Helper()
	call := w.draw(t, o)
	answer := w.direct(call)
	what := fmt.Sprintf("%s %s: %s %.300s %.300s", o.module.Name, o.name(), call.Method, call.Path, call.Body)
	if answer.Status >= http.StatusInternalServerError && answer.Status != http.StatusNotImplemented {
		t.Errorf("%s is answered with %d %.300s", what, answer.Status, answer.Body)
		return answer.Status
	}
	if strings.Contains(call.Path, "fields=") {
		return answer.Status // a part of what is described
	}
	problem := w.observer.Look(o.module.Name, answers.Operation(o.route.Method, o.route.Pattern), answer)
	if problem != "" {
		t.Errorf("%s is answered with %d: %s: %.300s", what, answer.Status, problem, answer.Body)
	}
	return answer.Status
}

// draw is a request that the operation takes, with up to three things changed.
func (w *randomCaller) draw(t *testing.T, o operation) conformance.Call {
	t.Helper()
	var call conformance.Call
	if w.takeJSON[o.service()+" "+o.name()] && w.maySignIn(o) {
		call = w.valid(t, o).call
	} else {
		call = w.plain(t, o)
	}
	for range w.rand.IntN(4) {
		switch w.rand.IntN(5) {
		case 0, 1:
			call.Path = w.withQuery(o, call.Path)
		case 2, 3:
			call.Body = w.withChange(t, o, call.Body)
		case 4:
			w.otherCaller(t, o, &call)
		}
	}
	return call
}

// maySignIn bounds the requests that need a sign-in before them: the clock stands, and one
// address may sign in so often in an hour.
func (w *randomCaller) maySignIn(o operation) bool {
	const most = 100
	if !strings.HasSuffix(o.route.Pattern, "/token") && !strings.HasSuffix(o.route.Pattern, "access_tokens") {
		return true
	}
	w.signIns++
	return w.signIns <= most
}

// plain is a request without a body, or with an empty object.
func (w *randomCaller) plain(t *testing.T, o operation) conformance.Call {
	t.Helper()
	header, ok := w.credential(t, o, "full")
	if !ok {
		header = http.Header{}
	}
	header.Set("Accept", "application/json")
	made := maps.Clone(w.own)
	w.setID(o, made)
	path, _ := fill(o, made)
	if o.route.Method == http.MethodDelete || w.rand.IntN(5) == 0 {
		path, _ = fill(o, objects{}) // things stay; what is not there is refused
	}
	call := conformance.Call{Method: o.route.Method, Path: path, Host: o.host, Header: header}
	if call.Method != http.MethodGet && call.Method != http.MethodDelete {
		call.Body = "{}"
		header.Set("Content-Type", "application/json")
		if form(o) {
			call.Body = "a=b"
			header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	}
	return call
}

// word is a value that a parameter may mean something by.
func (w *randomCaller) word() string {
	list := []string{
		"1", "0", "-1", "10", "99999999999999999999", "true", "false", "", "ada", "mal", "main", "x", "name", "desc", "open",
		"2026-03-01T00:00:00Z", "2026-03-09", "primary", "json", "all", "a,b", "%", "é", strings.Repeat("z", 300),
	}
	return list[w.rand.IntN(len(list))]
}

func (w *randomCaller) withQuery(o operation, path string) string {
	var names []string
	for _, p := range w.described[o.module.Name+" "+o.name()].parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	name := "no_such_parameter"
	if len(names) > 0 && w.rand.IntN(6) > 0 {
		name = names[w.rand.IntN(len(names))]
	}
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	return path + join + url.QueryEscape(name) + "=" + url.QueryEscape(w.word())
}

// withChange drops, adds or retypes one member of a body.
func (w *randomCaller) withChange(t *testing.T, o operation, body string) string {
	t.Helper()
	object, ok := decode(body).(map[string]any)
	if !ok {
		return body
	}
	values := []any{nil, true, json.Number("7"), json.Number("-1.5"), w.word(), []any{}, []any{"a"}, map[string]any{}}
	value := values[w.rand.IntN(len(values))]
	members := sortedNames(w.described[o.module.Name+" "+o.name()].members(w.described[o.module.Name+" "+o.name()].body))
	present := slices.Sorted(maps.Keys(object))
	switch n := w.rand.IntN(3); {
	case n == 0 && len(present) > 0:
		delete(object, present[w.rand.IntN(len(present))])
	case n == 1 && len(present) > 0:
		object[present[w.rand.IntN(len(present))]] = value
	case len(members) > 0:
		object[members[w.rand.IntN(len(members))]] = value
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// otherCaller asks as another user, or with a credential that is refused.
func (w *randomCaller) otherCaller(t *testing.T, o operation, call *conformance.Call) {
	t.Helper()
	kinds := []string{"none", "garbage", "mal", "revoked", "foreign"}
	header, ok := w.credential(t, o, kinds[w.rand.IntN(len(kinds))])
	if !ok {
		return
	}
	header.Set("Accept", "application/json")
	if call.Header.Get("Content-Type") != "" {
		header.Set("Content-Type", call.Header.Get("Content-Type"))
	}
	call.Header = header
}
