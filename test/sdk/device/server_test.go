package device_test

import (
	"bufio"
	"bytes"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// server is the true binary with a demo world in the sdk dialect.
type server struct {
	binary, data string
	env          map[string]string
}

func start(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{binary: filepath.Join(dir, "stoa"), data: filepath.Join(dir, "data")}
	build := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-buildvcs=false", "-o", s.binary, "./cmd/stoa")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	program := exec.Command(s.binary, "serve", "--data", s.data, "--listen", "127.0.0.1:0", "--demo", "--dialect", "sdk")
	// A short interval: the clients wait it out on the machine's clock.
	program.Env = append(os.Environ(), "STOA_LOG_LEVEL=error", "STOA_DEVICE_INTERVAL=1s", "STOA_ANALYTICS_INTERVAL=1s")
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Signal(os.Interrupt)
		_ = program.Wait()
	})
	ready := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "ready ") {
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("the server is not ready")
	}
	s.env = readEnv(t, filepath.Join(s.data, "demo.env"))
	return s
}

// readEnv reads shell assignments.
func readEnv(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for line := range bytes.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(string(line)), "=")
		if ok {
			env[name] = strings.Trim(value, `'"`)
		}
	}
	return env
}

func (s *server) url(path string) string { return s.env["STOA_URL"] + path }

// decide is what the user does on another device.
func (s *server) decide(t *testing.T, what, userCode string) {
	t.Helper()
	out, err := exec.Command(s.binary, "grant", what, userCode, "--user", s.env["STOA_USER"], "--data", s.data).CombinedOutput()
	if err != nil {
		t.Fatalf("stoa grant %s: %v\n%s", what, err, out)
	}
}

var (
	action = regexp.MustCompile(`(?s)<main.*<form method="post" action="([^"]*)">(.*?)</form>`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)">`)
)

// consent signs in and allows what the address asks for; it returns what the
// application gets.
func (s *server) consent(t *testing.T, address string) url.Values {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.String(), s.env["STOA_URL"]+"/") {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page := read(t, browser, address)
	page, _ = s.submit(t, browser, page, url.Values{"name": {s.env["STOA_USER"]}, "password": {s.env["STOA_PASSWORD"]}})
	_, to := s.submit(t, browser, page, url.Values{"decision": {"allow"}})
	back, err := url.Parse(to)
	if err != nil || back.Query().Get("code") == "" {
		t.Fatalf("the browser was sent to %q", to)
	}
	return back.Query()
}

func read(t *testing.T, browser *http.Client, address string) string {
	t.Helper()
	answer, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (s *server) submit(t *testing.T, browser *http.Client, page string, fields url.Values) (text, location string) {
	t.Helper()
	found := action.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no form in %s", page)
	}
	for _, f := range hidden.FindAllStringSubmatch(found[2], -1) {
		fields.Set(f[1], html.UnescapeString(f[2]))
	}
	answer, err := browser.PostForm(s.url(html.UnescapeString(found[1])), fields)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), answer.Header.Get("Location")
}
