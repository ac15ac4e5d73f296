package lab_test

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyWorlds drives many worlds at many dates side by side. Every answer
// belongs to the world that was asked, and nothing is left when they are gone.
// Not parallel: open files of the process are counted.
func TestManyWorlds(t *testing.T) {
	worlds, life := *manyWorlds, *worldsLife
	if *full {
		worlds, life = 200, time.Minute
	}
	dir := t.TempDir()
	log := &syncBuffer{}
	c := openLogged(t, dir, log)
	first := c.create(t, `{"name":"first","seed":1,"clock":{"mode":"frozen","now":"2024-01-01T00:00:00Z"}}`)
	first.ask(t, "GET", "/healthz", "", "").want(t, http.StatusOK)
	c.http.CloseIdleConnections()
	before := openFiles(t)

	var drivers []*driver
	for i := range worlds {
		at := time.Date(2020+i/12, time.Month(1+i%12), 1+i%28, i%24, 0, 0, 0, time.UTC)
		w := c.create(t, fmt.Sprintf(`{"name":"w-%d","from":"world:first","seed":%d,"clock":{"mode":"frozen","now":%q}}`,
			i, i+2, at.Format(time.RFC3339)))
		drivers = append(drivers, &driver{world: w, number: i, at: at, http: newClient()})
	}
	var group sync.WaitGroup
	end := time.Now().Add(life)
	for _, d := range drivers {
		group.Go(func() {
			defer d.http.CloseIdleConnections()
			for time.Now().Before(end) && !t.Failed() {
				if err := d.round(); err != nil {
					t.Errorf("world %d: %v", d.number, err)
				}
			}
		})
	}
	group.Wait()
	foreignSecrets(t, drivers)
	for _, d := range drivers {
		d.sideDoors(t)
	}
	for _, m := range marked.FindAllString(log.String(), -1) {
		t.Errorf("the log of the lab shows %s, which is a world's own", m)
	}

	asked := 0
	for _, d := range drivers {
		asked += d.asked
		d.world.delete(t)
		address := strings.TrimPrefix(d.world.URL, "http://")
		if conn, err := net.Dial("tcp", address); err == nil {
			t.Errorf("the port of a deleted world is open: %v", conn.Close())
		}
	}
	t.Logf("%d answers of %d worlds", asked, worlds)
	c.http.CloseIdleConnections()
	leftOver(t, dir, before)
}

var (
	manyWorlds = flag.Int("worlds", 20, "how many worlds TestManyWorlds has at once")
	worldsLife = flag.Duration("life", 3*time.Second, "how long TestManyWorlds uses them")
)

// sideDoors looks where something of another world could come out besides its answers: the
// journal, the inbox of what is sent, stored files, tags of answers and counts of limits.
func (d *driver) sideDoors(t *testing.T) {
	t.Helper()
	w, own := d.world, fmt.Sprintf("made-in-%d-", d.number)
	only := func(where string, text []byte) {
		t.Helper()
		for _, m := range marked.FindAllString(string(text), -1) {
			if m != own {
				t.Errorf("world %d: %s shows %s", d.number, where, m)
			}
		}
	}
	for id := 1; id <= 10; id++ { // the calls of the first round, with their bodies
		kept := w.control.call(t, http.MethodGet, fmt.Sprintf("%s/requests/%d", w.path(), id), "").want(t, http.StatusOK).body
		if id == 1 && !strings.Contains(string(kept), own) {
			t.Errorf("world %d: its journal does not show what was made there: %.300s", d.number, kept)
		}
		only("the journal", kept)
	}

	w.addInbox(t, `{"name":"hooks"}`)
	watch(t, w, w.URL+"/inbox/hooks")
	w.ask(t, "POST", calendarEvents, "", `{"summary":"`+own+`hook",`+wholeDay+`}`).want(t, http.StatusOK)
	w.settle(t)
	messages := w.messages(t, "hooks", "")
	if len(messages) != 2 { // the first says that the channel stands
		t.Errorf("world %d: its inbox has %d messages, want 2", d.number, len(messages))
	}
	for _, m := range messages {
		if to := m.Headers["X-Goog-Resource-Uri"]; to != "" && !strings.HasPrefix(to, w.URL+"/") {
			t.Errorf("world %d: a message is about %s, want something of %s", d.number, to, w.URL)
		}
	}

	list := w.ask(t, "GET", tasksPath+"?maxResults=100", "", "")
	only("its lists", list.body)
	r, err := http.NewRequest(http.MethodGet, w.URL+tasksPath+"?maxResults=100", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.Env["STOA_TOKEN"])
	r.Header.Set("If-None-Match", list.header.Get("Etag"))
	if a, err := do(d.http, r); err != nil || a.status != http.StatusNotModified {
		t.Errorf("world %d: its own tag is answered with %v, %v; want 304", d.number, a, err)
	}
	// Every world has done the same number of these; a limit that worlds share would show a
	// smaller rest in each.
	a := w.ask(t, "GET", "/users/ada/events", "", "")
	d.rest = a.header.Get("X-RateLimit-Used")
	if used := d.feeds + 1; d.rest != fmt.Sprint(used) {
		t.Errorf("world %d: %s calls are counted against its limit, want its own %d", d.number, d.rest, used)
	}
}

// driver uses one world as clients of several services do.
type driver struct {
	world  *world
	number int
	at     time.Time
	http   *http.Client
	asked  int
	key    string
	// feeds is how often the feed was read, rest what the limit says of it.
	feeds int
	rest  string
}

// marked finds what the drivers of all worlds write.
var marked = regexp.MustCompile(`made-in-(\d+)-`)

// ask makes a request and checks that the answer belongs to the world. Every
// second one goes through the lab's own port.
func (d *driver) ask(method, path, secret, body string) (answer, error) {
	d.asked++
	if path == "/users/ada/events" {
		d.feeds++
	}
	base := d.world.URL
	if d.asked%2 == 0 {
		base = d.world.PrefixURL
	}
	a, err := send(d.http, method, base+path, secret, body)
	if err != nil {
		return a, err
	}
	if got, want := a.header.Get("Date"), d.at.Format(http.TimeFormat); got != want {
		return a, fmt.Errorf("%s %s: Date is %s, want the world's %s", method, path, got, want)
	}
	for _, m := range marked.FindAllSubmatch(a.body, -1) {
		if string(m[1]) != fmt.Sprint(d.number) {
			return a, fmt.Errorf("%s %s shows what was made in world %s: %s", method, path, m[1], a.body)
		}
	}
	if a.status >= 500 {
		return a, fmt.Errorf("%s %s: %v", method, path, a)
	}
	return a, nil
}

const wholeDay = `"start":{"date":"2031-06-01"},"end":{"date":"2031-06-02"}`

// round uses each service once.
func (d *driver) round() error {
	token, mark := d.world.Env["STOA_TOKEN"], fmt.Sprintf("made-in-%d-%d", d.number, d.asked)
	form := url.Values{"client_id": {d.world.Env["STOA_DEVICE_CLIENT_ID"]}, "scope": {"email"}}.Encode()
	for _, r := range []struct{ method, path, secret, body string }{
		{"POST", "/tasks/v1/users/@me/lists", token, `{"title":"` + mark + `"}`},
		{"GET", "/tasks/v1/users/@me/lists?maxResults=100", token, ""},
		{"POST", calendarEvents, token, `{"summary":"` + mark + `",` + wholeDay + `}`},
		{"GET", calendarEvents + "?maxResults=50", token, ""},
		{"POST", "/api/v2/items", token, `{"title":"` + mark + `","body":"x","tags":[{"name":"go","versions":[]}]}`},
		{"GET", "/api/v2/items?per_page=20", token, ""},
		{"GET", "/users/ada/events", token, ""},
		{"POST", "/device/code", "", form},
		{"GET", "/v1beta/models", d.world.Env["STOA_MODEL_KEY"], ""},
		{"GET", "/", "", ""},
	} {
		if _, err := d.ask(r.method, r.path, r.secret, r.body); err != nil {
			return err
		}
	}
	return nil
}

// foreignSecrets checks that a key which one world made opens no other.
func foreignSecrets(t *testing.T, drivers []*driver) {
	t.Helper()
	const path = "/v2/api-keys/refresh"
	for _, d := range drivers {
		a := d.world.ask(t, "POST", path, d.world.Env["STOA_SCHEDULING_KEY"], "{}").want(t, http.StatusOK)
		d.key = fmt.Sprint(a.object(t)["data"].(map[string]any)["apiKey"])
	}
	for i, d := range drivers {
		other := drivers[(i+1)%len(drivers)]
		other.world.ask(t, "POST", path, d.key, "{}").want(t, http.StatusUnauthorized)
	}
}

// TestManyForks makes and deletes forks one after the other.
func TestManyForks(t *testing.T) {
	forks := 50
	if *full {
		forks = 1000
	}
	dir := t.TempDir()
	c := open(t, dir)
	first := c.create(t, `{"name":"first"}`)
	first.fork(t).delete(t) // what is made once is there now
	c.http.CloseIdleConnections()
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	for range forks {
		w := first.fork(t)
		w.ask(t, "GET", "/tasks/v1/users/@me/lists", "", "").want(t, http.StatusOK)
		w.delete(t)
	}
	c.http.CloseIdleConnections()
	leftOver(t, dir, files)
	eventually(t, "goroutines end", func() (int, bool) {
		n := runtime.NumGoroutine()
		return n, n <= goroutines+5 // connections of this process come and go
	})
}

// leftOver fails when something of deleted worlds stays: open files and sockets
// of the process, or folders. Only the world first is there.
func leftOver(t *testing.T, dir string, before int) {
	t.Helper()
	eventually(t, "open files", func() (int, bool) {
		n := openFiles(t)
		return n, n <= before+5 // connections of the world that stays come and go
	})
	// The demo and what the forks of the world begin with stay, each with one copy that is
	// ready for the next world; what was deleted goes in the background.
	for folder, most := range map[string]int{"worlds": 1, "unfinished": 2, "bases": 2} {
		eventually(t, "folders in "+folder, func() (int, bool) {
			entries, err := os.ReadDir(filepath.Join(dir, folder))
			if err != nil {
				t.Fatal(err)
			}
			return len(entries), len(entries) <= most
		})
	}
}

// openFiles counts the open files, sockets and pipes of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// eventually waits for what ends in the background; the time bounds a failing
// test only.
func eventually(t *testing.T, what string, done func() (got int, ok bool)) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		got, ok := done()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: there are still %d", what, got)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
