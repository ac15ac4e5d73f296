package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab/labtest"
	"stoa.dev/stoa/internal/lab/server"
)

// templates keeps worlds made from nothing, for all tests of the process.
var templates string

func TestMain(m *testing.M) { labtest.Main(m, &templates) }

// served is a lab behind its port, and a client that has its token.
type served struct {
	*server.Server
	t *testing.T
}

func open(t *testing.T, dir string) *served {
	t.Helper()
	s, err := server.Open(t.Context(), server.Options{
		Dir: dir, Listen: "127.0.0.1:0", Config: app.DefaultConfig(), Version: "test", Token: "secret",
		Cache: templates,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &served{s, t}
}

// do makes a request and returns status and body.
func (s *served) do(method, address, token, host string, body []byte) (int, []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if host != "" {
		r.Host = host
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, text
}

// call uses the control API and checks the status.
func (s *served) call(method, path, body string, want int) map[string]any {
	s.t.Helper()
	status, text := s.do(method, s.URL()+"/lab/v1"+path, "secret", "", []byte(body))
	if status != want {
		s.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, status, text, want)
	}
	var out map[string]any
	if len(text) > 0 {
		if err := json.Unmarshal(text, &out); err != nil {
			s.t.Fatalf("%s %s: %s: %v", method, path, text, err)
		}
	}
	return out
}

func (s *served) token(world map[string]any) string {
	return world["env"].(map[string]any)["STOA_TOKEN"].(string)
}

func TestControl(t *testing.T) {
	s := open(t, t.TempDir())
	w := s.call("POST", "/worlds", `{"name":"one","clock":{"mode":"frozen","now":"2030-01-01T00:00:00Z"},"seed":7}`, 201)
	if w["state"] != "awake" || w["dialect"] != "sdk" || w["seed"] != 7.0 || w["from"] != "demo" {
		t.Errorf("world = %v", w)
	}
	for _, row := range []struct {
		name, method, path, body string
		want                     int
	}{
		{"taken", "POST", "/worlds", `{"name":"one"}`, 409},
		{"unknown member", "POST", "/worlds", `{"nam":"one"}`, 400},
		{"bad name", "POST", "/worlds", `{"name":"One"}`, 400},
		{"bad from", "POST", "/worlds", `{"from":"nothing"}`, 400},
		{"no snapshot", "POST", "/worlds", `{"from":"snapshot:none"}`, 404},
		{"reserved setting", "POST", "/worlds", `{"config":{"listen":{"http":":1"}}}`, 400},
		{"no world", "GET", "/worlds/none", "", 404},
		{"no call", "GET", "/nothing", "", 404},
		{"method", "PUT", "/worlds", "{}", 405},
		{"clock mode", "PATCH", "/worlds/one/clock", `{"mode":"fast"}`, 400},
		{"by and to", "POST", "/worlds/one/clock/advance", `{}`, 400},
		{"a bad duration", "POST", "/worlds/one/clock/advance", `{"by":"soon"}`, 400},
		{"backwards", "POST", "/worlds/one/clock/advance", `{"to":"2029-01-01T00:00:00Z"}`, 409},
	} {
		t.Run(row.name, func(t *testing.T) {
			answer := s.call(row.method, row.path, row.body, row.want)
			body, ok := answer["error"].(map[string]any)
			if !ok || body["code"] == "" || body["message"] == "" || body["next"] == "" {
				t.Errorf("error = %v, want code, message and next", answer)
			}
		})
	}
	t.Run("without the token", func(t *testing.T) {
		if status, text := s.do("GET", s.URL()+"/lab/v1/worlds", "", "", nil); status != 401 {
			t.Errorf("%d %s, want 401", status, text)
		}
	})
	t.Run("by a foreign name", func(t *testing.T) {
		for name, address := range map[string]string{
			"the control API": s.URL() + "/lab/v1/worlds", "the world's own port": w["url"].(string) + "/healthz",
			"below a prefix": w["prefixUrl"].(string) + "/healthz", "the default world": s.URL() + "/healthz",
		} {
			for host, want := range map[string]int{"evil.example": 421, "localhost": 200} {
				if status, text := s.do("GET", address, "secret", host, nil); status != want {
					t.Errorf("%s asked as %s: %d %s, want %d", name, host, status, text, want)
				}
			}
		}
	})
	t.Run("advance", func(t *testing.T) {
		moved := s.call("POST", "/worlds/one/clock/advance", `{"by":"1d2h"}`, 200)
		if moved["to"] != "2030-01-02T02:00:00Z" || moved["left"] != 0.0 || moved["ranCount"] == 0.0 {
			t.Errorf("moved = %v", moved)
		}
		c := s.call("GET", "/worlds/one/clock", "", 200)
		if c["mode"] != "frozen" || c["now"] != "2030-01-02T02:00:00Z" || c["rate"] != 0.0 {
			t.Errorf("clock = %v", c)
		}
		s.call("POST", "/worlds/one/clock/settle", "{}", 200)
	})
	t.Run("every address of a world", func(t *testing.T) {
		for _, base := range []string{w["url"].(string), w["prefixUrl"].(string)} {
			if status, text := s.do("GET", base+"/tasks/v1/users/@me/lists", s.token(w), "", nil); status != 200 {
				t.Errorf("%s: %d %s", base, status, text)
			}
		}
		status, text := s.do("GET", s.URL()+"/w/none/", "", "", nil)
		if status != 404 || !strings.Contains(string(text), "none") {
			t.Errorf("no world: %d %s", status, text)
		}
		if status, text := s.do("GET", s.URL()+"/healthz", "", "", nil); status != 200 {
			t.Errorf("the default world: %d %s", status, text)
		}
	})
	t.Run("links name no foreign host", func(t *testing.T) {
		port := s.URL()[strings.LastIndex(s.URL(), ":"):]
		lists := w["prefixUrl"].(string) + "/tasks/v1/users/@me/lists"
		want := "http://localhost" + port + "/w/one/"
		_, links := s.do("GET", lists, s.token(w), "localhost"+port, nil)
		if text := string(links); !strings.Contains(text, `"`+want+"tasks/v1/") {
			t.Errorf("localhost: %s, want links that begin with %s", text, want)
		}
		status, text := s.do("GET", lists, s.token(w), "evil.example", nil)
		if status != http.StatusMisdirectedRequest || strings.Contains(string(text), "evil") {
			t.Errorf("a foreign host: %d %s", status, text)
		}
	})
	t.Run("export and import", func(t *testing.T) {
		s.call("POST", "/worlds/one/sleep", "{}", 200) // nothing changes it while it sleeps
		status, file := s.do("GET", s.URL()+"/lab/v1/worlds/one/export", "secret", "", nil)
		if status != 200 {
			t.Fatalf("%d %s", status, file)
		}
		if _, again := s.do("GET", s.URL()+"/lab/v1/worlds/one/export", "secret", "", nil); !bytes.Equal(file, again) {
			t.Error("the same world gave two files")
		}
		status, text := s.do("POST", s.URL()+"/lab/v1/worlds/import?name=two", "secret", "", file)
		if status != 201 {
			t.Fatalf("import: %d %s", status, text)
		}
		var two map[string]any
		if err := json.Unmarshal(text, &two); err != nil {
			t.Fatal(err)
		}
		path := "/tasks/v1/users/@me/lists"
		_, a := s.do("GET", w["url"].(string)+path, s.token(w), "", nil)
		_, b := s.do("GET", two["url"].(string)+path, s.token(two), "", nil)
		a = bytes.ReplaceAll(a, []byte(w["url"].(string)), []byte(two["url"].(string)))
		if !bytes.Equal(a, b) {
			t.Errorf("the imported world answers\n%s\nwant\n%s", b, a)
		}
		if status, _ := s.do("POST", s.URL()+"/lab/v1/worlds/import", "secret", "", []byte("nonsense")); status != 400 {
			t.Errorf("nonsense was imported: %d", status)
		}
	})
	t.Run("save, fork, reset, sleep, wake, delete", func(t *testing.T) {
		s.call("POST", "/worlds/one/snapshots", `{"name":"kept"}`, 201)
		s.call("POST", "/worlds/one/snapshots", `{"name":"kept"}`, 409)
		s.call("POST", "/worlds", `{"name":"three","from":"snapshot:kept","expires":"1h"}`, 201)
		s.call("POST", "/worlds/three/fork", `{"name":"four"}`, 201)
		s.call("POST", "/worlds/four/reset", `{}`, 200)
		if w := s.call("POST", "/worlds/four/sleep", `{}`, 200); w["state"] != "asleep" {
			t.Errorf("after sleep: %v", w["state"])
		}
		if w := s.call("POST", "/worlds/four/wake", `{}`, 200); w["state"] != "awake" {
			t.Errorf("after wake: %v", w["state"])
		}
		s.call("DELETE", "/worlds/four", "", 204)
		s.call("DELETE", "/snapshots/kept", "", 204)
		if list := s.call("GET", "/snapshots", "", 200); len(list["snapshots"].([]any)) != 0 {
			t.Errorf("snapshots = %v", list)
		}
	})
}

func TestTokenBeyondLoopback(t *testing.T) {
	_, err := server.Open(t.Context(), server.Options{
		Dir: t.TempDir(), Listen: "0.0.0.0:0", Config: app.DefaultConfig(), Token: "guess",
	})
	if !errors.Is(err, app.ErrConfig) {
		t.Errorf("a short token beyond loopback: %v, want it refused", err)
	}
}

// A lab that listens everywhere serves its demo below its own port; the control API
// needs the token.
func TestPublishedLab(t *testing.T) {
	const token = "0123456789abcdef"
	s, err := server.Open(t.Context(), server.Options{
		Dir: t.TempDir(), Listen: "0.0.0.0:0", Config: app.DefaultConfig(), Token: token, Cache: templates,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	for given, want := range map[string]int{"": 401, "Bearer guess": 401, "Bearer " + token: 200} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL()+"/lab/v1/worlds", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", given)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("with %q: %d, want %d", given, answer.StatusCode, want)
		}
	}
	answer, err := http.Get(s.URL() + "/w/" + server.DefaultWorld + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != 200 {
		t.Errorf("the demo answers %d", answer.StatusCode)
	}
}

// TestLabWithoutAHost: an address without a host is every address of the machine, for the lab and for its worlds.
func TestLabWithoutAHost(t *testing.T) {
	const token = "it's 16 characters'"
	dir := t.TempDir()
	s, err := server.Open(t.Context(), server.Options{
		Dir: dir, Listen: ":0", Config: app.DefaultConfig(), Token: token, Cache: templates,
	})
	if err != nil {
		t.Fatal(err)
	}
	sourced, err := exec.Command("sh", "-c", `. "$1" && printf %s "$STOA_LAB_TOKEN"`, "sh", filepath.Join(dir, server.EnvFile)).Output()
	if err != nil || string(sourced) != token {
		t.Errorf("a shell reads the token %q from %s, %v; want %q", sourced, server.EnvFile, err, token)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	world, err := s.Lab().World(server.DefaultWorld)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{s.URL(), world.URL()} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", at+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "192.0.2.1:" + r.URL.Port() // as another machine asks for it
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != 200 || r.URL.Hostname() != "localhost" {
			t.Errorf("%s answers %d to another machine", at, answer.StatusCode)
		}
	}
}
