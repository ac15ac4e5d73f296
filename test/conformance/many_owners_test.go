package conformance_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

var owners = flag.Int("owners", 100, "how many owners TestManyOwners has at once")

// inFlight is how many of their requests the server has at once: more than it answers in
// the time of a request it refuses.
const inFlight = 64

// TestManyOwners: owners who all work at the same time, each a user with tokens of several
// services, are told of what is theirs and of nothing else, and none meets an error. The race
// detector looks at all that they share.
func TestManyOwners(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{Unobserved: true, Configure: noRates})
		all, places := make([]*owner, *owners), make(chan struct{}, inFlight)
		atOnce(len(all), 32, func(i int) {
			if !t.Failed() {
				all[i] = newOwner(t, h, i, places)
			}
		})
		if t.Failed() {
			return
		}
		var asked atomic.Int64
		// Each in a goroutine of its own, all of them there before the first one asks.
		atOnce(len(all), len(all), func(i int) { all[i].work(t, &asked) })
		// What is another's is not there.
		atOnce(len(all), len(all), func(i int) { all[i].reach(t, all[(i+1)%len(all)], &asked) })
		t.Logf("%d answers of %d owners at once", asked.Load(), len(all))
	})
}

// atOnce calls fn for each number, so many at a time.
func atOnce(n, most int, fn func(int)) {
	var group, there sync.WaitGroup
	numbers := make(chan int)
	there.Add(most)
	for range most {
		group.Go(func() {
			there.Done()
			for i := range numbers {
				fn(i)
			}
		})
	}
	there.Wait()
	for i := range n {
		numbers <- i
	}
	close(numbers)
	group.Wait()
}

// owner is a user with tokens and what it has made, by the path it is read at.
type owner struct {
	app    *app.App
	number int
	places chan struct{}     // of requests in flight
	tokens map[string]string // by service
	made   map[string]string // by service
}

func newOwner(t *testing.T, h *conformance.Server, number int, places chan struct{}) *owner {
	t.Helper()
	o := &owner{
		app: h.App(), number: number, places: places, tokens: map[string]string{}, made: map[string]string{},
	}
	name := fmt.Sprintf("owner%d", number)
	run := func(command string, values map[string][]string) map[string]any {
		made, err := o.app.RunCommand(t.Context(), command, values, nil)
		if err != nil {
			t.Errorf("stoa %s %v: %v", command, values, err)
			return nil
		}
		text, err := json.Marshal(made)
		object := map[string]any{}
		if err == nil {
			err = json.Unmarshal(text, &object)
		}
		if err != nil {
			t.Error(err)
		}
		return object
	}
	run("user add", map[string][]string{"name": {name}, "password": {"a long enough password"}})
	for _, p := range ownedThings() {
		made := run("token issue", map[string][]string{"user": {name}, "service": {p.service}, "any-kind": {"true"}})
		o.tokens[p.service], _ = made["token"].(string)
	}
	return o
}

// ownedThing is what an owner makes of a service: where it is made and listed, with which
// body, and which member of the answer names it.
type ownedThing struct{ service, path, list, body, id string }

func ownedThings() []ownedThing {
	const lists, events = "/tasks/v1/users/@me/lists", "/calendar/v3/calendars/primary/events"
	began := conformance.Began()
	day, next := began.Format(time.DateOnly), began.AddDate(0, 0, 1).Format(time.DateOnly)
	return []ownedThing{
		{"tasks", lists, lists, `{"title":"MARK"}`, "id"},
		{"calendar", events, events, `{"summary":"MARK","start":{"date":"` + day + `"},"end":{"date":"` + next + `"}}`, "id"},
		{"articles", "/api/v2/items", "/api/v2/authenticated_user/items",
			`{"title":"MARK","body":"x","private":true,"tags":[{"name":"go","versions":[]}]}`, "id"},
	}
}

// ownersMark finds what owners write.
var ownersMark = regexp.MustCompile(`made-by-(\d+)-`)

func (o *owner) mark() string { return fmt.Sprintf("made-by-%d-", o.number) }

// ask sends a request and gives its answer. Nothing of another's may be in it.
func (o *owner) ask(t *testing.T, service, method, path, body string, want ...int) []byte {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:1"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:2"
	r.Header.Set("Authorization", "Bearer "+o.tokens[service])
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	o.places <- struct{}{}
	o.app.Handler().ServeHTTP(w, r)
	<-o.places
	ok := false
	for _, status := range want {
		ok = ok || w.Code == status
	}
	if !ok {
		t.Errorf("owner %d: %s %s: %d %.300s, want %v", o.number, method, path, w.Code, w.Body, want)
	}
	for _, m := range ownersMark.FindAll(w.Body.Bytes(), -1) {
		if string(m) != o.mark() {
			t.Errorf("owner %d: %s %s shows %s", o.number, method, path, m)
		}
	}
	return w.Body.Bytes()
}

// work makes, reads and lists what is the owner's.
func (o *owner) work(t *testing.T, asked *atomic.Int64) {
	for _, p := range ownedThings() {
		if t.Failed() {
			return
		}
		made := o.ask(t, p.service, http.MethodPost, p.path, strings.ReplaceAll(p.body, "MARK", o.mark()), 200, 201)
		var object map[string]any
		if err := json.Unmarshal(made, &object); err != nil {
			t.Errorf("owner %d: %s: %v", o.number, p.path, err)
			return
		}
		id := fmt.Sprint(object[p.id])
		o.made[p.service] = p.path + "/" + id
		for _, path := range []string{o.made[p.service], p.list} {
			if text := o.ask(t, p.service, http.MethodGet, path, "", 200); !strings.Contains(string(text), o.mark()) {
				t.Errorf("owner %d: GET %s does not show what was made: %.300s", o.number, path, text)
			}
		}
		asked.Add(3)
	}
}

// reach asks for what another has made. An event is asked for in the caller's own calendar;
// a private article is for those who know its address, by the contract.
func (o *owner) reach(t *testing.T, other *owner, asked *atomic.Int64) {
	for _, p := range ownedThings() {
		if t.Failed() || p.service == "articles" {
			continue
		}
		o.ask(t, p.service, http.MethodGet, other.made[p.service], "", 404)
		asked.Add(1)
	}
}
