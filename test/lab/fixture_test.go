package lab_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab/labtest"
	"stoa.dev/stoa/internal/lab/server"
)

var full = flag.Bool("full", false, "two hundred worlds for a minute, a thousand forks, fifty kills")

const tasksPath = "/tasks/v1/users/@me/lists"

// templates keeps worlds made from nothing, for all tests of the process.
var templates string

func TestMain(m *testing.M) { labtest.Main(m, &templates) }

// control is the control API of a lab, with its token.
type control struct {
	url, token string
	http       *http.Client
}

// world is a world of a lab, as the control API shows it.
type world struct {
	control   *control
	Name, URL string
	PrefixURL string
	Env       map[string]string
}

// open serves a lab in this process. More than one world is not made unless asked.
func open(t *testing.T, dir string) *control {
	t.Helper()
	return openLogged(t, dir, io.Discard)
}

// openLogged is open with a place for the log.
func openLogged(t *testing.T, dir string, log io.Writer) *control {
	t.Helper()
	return openConfigured(t, dir, log, app.DefaultConfig())
}

// openConfigured is openLogged with a configuration for all worlds.
func openConfigured(t *testing.T, dir string, log io.Writer, config app.Config) *control {
	t.Helper()
	s, err := server.Open(t.Context(), server.Options{
		Dir: dir, Listen: "127.0.0.1:0", Config: config, Version: "test", NoDefault: true,
		LogTo: log, Cache: templates,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &control{url: s.URL(), token: s.Token(), http: newClient()}
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Errorf("close the lab: %v", err)
		}
	})
	return c
}

// syncBuffer keeps what several write.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 4},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       2 * time.Minute,
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) String() string { return fmt.Sprintf("%d %s", a.status, a.body) }

// object decodes the body.
func (a answer) object(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(a.body, &out); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return out
}

// want fails unless the status is the one named.
func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("%v, want %d", a, status)
	}
	return a
}

// send makes one request. A body that does not begin as JSON is a form.
func send(client *http.Client, method, address, bearer, body string) (a answer, err error) {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return a, err
	}
	switch {
	case strings.HasPrefix(body, "{"):
		r.Header.Set("Content-Type", "application/json")
	case body != "":
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	return do(client, r)
}

// do makes a request and reads the answer.
func do(client *http.Client, r *http.Request) (a answer, err error) {
	response, err := client.Do(r)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	a.body, err = io.ReadAll(response.Body)
	return a, err
}

// call uses the control API.
func (c *control) call(t *testing.T, method, path, body string) answer {
	t.Helper()
	a, err := send(c.http, method, c.url+"/lab/v1"+path, c.token, body)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// create makes a world of the members.
func (c *control) create(t *testing.T, members string) *world {
	t.Helper()
	return c.world(t, c.call(t, http.MethodPost, "/worlds", members).want(t, http.StatusCreated))
}

func (c *control) world(t *testing.T, a answer) *world {
	t.Helper()
	w := &world{control: c}
	if err := json.NewDecoder(bytes.NewReader(a.body)).Decode(w); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return w
}

func (w *world) path() string { return "/worlds/" + w.Name }

func (w *world) fork(t *testing.T) *world {
	t.Helper()
	return w.control.world(t, w.control.call(t, http.MethodPost, w.path()+"/fork", "{}").want(t, http.StatusCreated))
}

func (w *world) delete(t *testing.T) {
	t.Helper()
	w.control.call(t, http.MethodDelete, w.path(), "").want(t, http.StatusNoContent)
}

// moved is what an advance did.
type moved struct {
	From, To       time.Time
	RanCount, Left int
	Ran            []struct {
		At            time.Time
		Kind, Outcome string
	}
}

func (w *world) move(t *testing.T, verb, body string) moved {
	t.Helper()
	a := w.control.call(t, http.MethodPost, w.path()+"/clock/"+verb, body).want(t, http.StatusOK)
	var m moved
	if err := json.Unmarshal(a.body, &m); err != nil || m.Left != 0 {
		t.Fatalf("%s %s: %v, %v", verb, body, a, err)
	}
	return m
}

func (w *world) advanceTo(t *testing.T, at time.Time) moved {
	t.Helper()
	return w.move(t, "advance", `{"to":"`+at.Format(time.RFC3339Nano)+`"}`)
}

func (w *world) settle(t *testing.T) moved {
	t.Helper()
	return w.move(t, "settle", "{}")
}

// ask makes a request of the world with the demo's token, unless a secret is
// given; "-" sends none.
func (w *world) ask(t *testing.T, method, path, secret, body string) answer {
	t.Helper()
	switch secret {
	case "":
		secret = w.Env["STOA_TOKEN"]
	case "-":
		secret = ""
	}
	a, err := send(w.control.http, method, w.URL+path, secret, body)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
