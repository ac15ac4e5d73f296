package soak_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// server is the demo world, served by one process or by several on one
// PostgreSQL database.
type server struct {
	urls        []string
	token, repo string
	client      *http.Client
}

// serve starts the processes. With an empty database URL there is one, on
// SQLite.
func serve(t *testing.T, processes int, databaseURL string, env ...string) *server {
	t.Helper()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := &server{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 30 * time.Second}}
	t.Cleanup(h.client.CloseIdleConnections)
	first := t.TempDir()
	for i := range processes {
		o := program.Options{Binary: binary, Data: first, Env: env}
		if databaseURL != "" {
			o.Args = []string{"--database", databaseURL}
		}
		if i == 0 {
			o.Args = append(o.Args, "--demo")
		} else {
			o.Data = t.TempDir()
			o.Env = append(env[:len(env):len(env)], "STOA_ROOT_KEY="+filepath.Join(first, "root.key"))
		}
		p, err := program.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if err := p.Stop(ctx); err != nil {
				t.Error(err)
			}
		})
		h.urls = append(h.urls, p.URL)
	}
	demo, err := program.DemoEnv(first)
	if err != nil {
		t.Fatal(err)
	}
	h.token, h.repo = demo["STOA_TOKEN"], demo["STOA_REPO"]
	return h
}

// answer is what a test looks at.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do asks one of the processes.
func (h *server) do(ctx context.Context, process int, method, path, token, tag, body string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.urls[process%len(h.urls)]+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	response, err := h.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{status: response.StatusCode, header: response.Header, body: text}, err
}

// ids are the event ids of a feed's page.
func (a answer) ids() ([]string, error) {
	var events []struct{ ID string }
	if err := json.Unmarshal(a.body, &events); err != nil {
		return nil, err
	}
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	return ids, nil
}
