package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// TestSecondStart: while a server owns a folder no second one starts there, and the
// refusal names the process that owns it.
func TestSecondStart(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	p, err := program.Start(t.Context(),
		program.Options{Binary: binary, Data: data, Env: []string{"STOA_LOG_LEVEL=error"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	starts := often(4, 20)
	for range starts {
		cmd := exec.CommandContext(t.Context(), binary, "serve", "--data", data, "--listen", "127.0.0.1:0")
		cmd.Env = program.Environ()
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); err == nil || code != 5 {
			t.Fatalf("the second start ends with %d (%v), want 5\n%s", code, err, out)
		}
		if !strings.Contains(string(out), fmt.Sprint(p.PID())) {
			t.Fatalf("the refusal does not name process %d:\n%s", p.PID(), out)
		}
	}
	t.Logf("%d second starts refused", starts)
}

// TestStopUnderLoad: a server that is asked to stop answers what it took, and what it
// acknowledged is there afterwards.
func TestStopUnderLoad(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := program.Options{Binary: binary, Data: t.TempDir(), Env: []string{
		"STOA_LOG_LEVEL=error", "STOA_TASKS_REQUESTS_PER_DAY=100000000", "STOA_TASKS_MAX_LIST_TASKS=100000",
	}}
	s := &stops{acked: map[string]bool{}}
	count := often(4, 20)
	for i := range count {
		p, err := program.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		if i == 0 {
			s.prepare(t, o.Data)
		}
		s.loadAndStop(t, i, p)
	}
	p, err := program.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	s.audit(t, p.URL)
	rate := float64(s.answered.Load()) / s.loaded.Seconds()
	if full() && rate < 5000 {
		t.Errorf("%.0f requests a second were answered, want at least 5,000", rate)
	}
	t.Logf("%d stops under load, %.0f requests a second, %d writes acknowledged, %d cut off, the longest stop %s", count,
		rate, len(s.acked), s.cut.Load(), s.longest.Round(10*time.Millisecond))
}

type stops struct {
	server  server
	token   string
	mu      sync.Mutex
	acked   map[string]bool
	cut     atomic.Int64 // requests that were sent whole and got no answer
	longest time.Duration
	// answered is how many requests were in the time that the load lasted.
	answered atomic.Int64
	loaded   time.Duration
}

func (s *stops) prepare(t *testing.T, data string) {
	t.Helper()
	commands, _, err := admin.Dial(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	s.server.admin = commands
	if _, err := commands.Run(t.Context(), "user add",
		map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}}, nil); err != nil {
		t.Fatal(err)
	}
	if s.token, err = s.server.issue(t.Context(), "token issue", "token",
		map[string][]string{"user": {"ada"}, "service": {"tasks"}}); err != nil {
		t.Fatal(err)
	}
}

// loadAndStop stops a server while eight clients write and others read as fast as they can.
func (s *stops) loadAndStop(t *testing.T, life int, p *program.Process) {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	h := &server{url: p.URL, http: &http.Client{Transport: transport, Timeout: 20 * time.Second}}
	defer h.http.CloseIdleConnections()
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			for n := 0; ; n++ {
				title := fmt.Sprintf("life %d client %d task %d", life, c, n)
				_, err := h.do(context.Background(), http.MethodPost, "/tasks/v1/lists/@default/tasks", s.token,
					fmt.Sprintf(`{"title":%q}`, title))
				if err != nil {
					if strings.Contains(err.Error(), "EOF") {
						s.cut.Add(1)
					}
					return
				}
				s.answered.Add(1)
				s.mu.Lock()
				s.acked[title] = true
				s.mu.Unlock()
			}
		})
	}
	clients.Go(func() {
		// It ends with the server, whose end of a connection is no answer.
		_, _ = drive.Load{
			Address: strings.TrimPrefix(p.URL, "http://"), Clients: often(8, 48), Length: time.Minute,
			Source: func(int) drive.Source { return s.reader(p.URL) },
		}.Run(context.Background())
	})
	load := time.Duration(often(150, 1000)) * time.Millisecond
	time.Sleep(load)
	s.loaded += load
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	began := time.Now()
	if err := p.Stop(ctx); err != nil {
		t.Errorf("life %d: %v", life, err)
	}
	s.longest = max(s.longest, time.Since(began))
	clients.Wait()
}

// reader asks again and again for something small that every node answers from memory.
func (s *stops) reader(url string) drive.Source {
	host := strings.TrimPrefix(url, "http://")
	return &counted{drive.Constant(drive.Request(http.MethodGet, "/healthz", host, "", "")), &s.answered}
}

// counted counts the answers of a constant request.
type counted struct {
	drive.Constant
	answered *atomic.Int64
}

// Seen counts an answer.
func (c *counted) Seen([]byte) error {
	c.answered.Add(1)
	return nil
}

func (s *stops) audit(t *testing.T, url string) {
	t.Helper()
	h := &server{url: url, http: &http.Client{Timeout: 20 * time.Second}}
	missing := map[string]bool{}
	for title := range s.acked {
		missing[title] = true
	}
	for token := ""; ; {
		path := "/tasks/v1/lists/@default/tasks?maxResults=100&pageToken=" + token
		text, err := h.do(t.Context(), http.MethodGet, path, s.token, "")
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			NextPageToken string
			Items         []struct{ Title string }
		}
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Items {
			delete(missing, i.Title)
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	if len(missing) > 0 || len(s.acked) == 0 {
		t.Errorf("%d of %d acknowledged writes are lost", len(missing), len(s.acked))
	}
}
