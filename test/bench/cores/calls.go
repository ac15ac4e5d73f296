package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// call is one that is measured.
type call struct {
	name    string
	durable bool
	request []byte
	address string
	pid     int
}

const (
	bareName = "a bare server's answer"
	tasks    = "/tasks/v1/lists/@default/tasks"
	oneTask  = `{"title":"Sweep the steps"}`
	calendar = "/calendar/v3/calendars/primary/events"
	oneEvent = `{"summary":"Sweep","start":{"dateTime":"2026-03-10T09:00:00Z"},"end":{"dateTime":"2026-03-10T10:00:00Z"}}`
	// As long as a short note.
	oneArticle = `{"title":"Steps","body":"# Steps\n\nSweep from the **top**.","tags":[{"name":"Go"}]}`
	password   = "correct horse battery staple"
)

// server is one life of the release binary and what is asked of it.
type server struct {
	*program.Process
	calls []call
}

// startServer serves an empty folder, with limits that are counted and raised: one
// generator plays the part of many users.
func startServer(ctx context.Context, binary, data string) (s *server, err error) {
	const many = "=1000000000"
	env := []string{
		"STOA_LOG_LEVEL=error", "STOA_TASKS_REQUESTS_PER_DAY" + many, "STOA_TASKS_MAX_LIST_TASKS" + many,
		"STOA_TASKS_MAX_TASKS" + many, "STOA_DEVICE_CODES_PER_MINUTE" + many, "STOA_DEVICE_CODES_PER_NETWORK" + many,
		"STOA_DEVICE_REQUESTS_PER_MINUTE" + many, "STOA_CALENDAR_REQUESTS_PER_MINUTE" + many,
		"STOA_ARTICLES_USER_PER_HOUR" + many,
	}
	s = &server{}
	if s.Process, err = program.Start(ctx, program.Options{Binary: binary, Data: data, Env: env}); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, data); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

// prepare makes a user with thirty tasks and a device client.
func (s *server) prepare(ctx context.Context, data string) error {
	operator, _, err := admin.Dial(ctx, data)
	if err != nil {
		return err
	}
	defer operator.Close()
	var made struct {
		Token  string `json:"token"`
		Client string `json:"client_id"`
		ID     string `json:"id"`
	}
	for _, step := range []struct {
		path   string
		values map[string][]string
	}{
		{"user add", map[string][]string{"name": {"bench"}, "password": {password}}},
		{"client add", map[string][]string{"name": {"bench"}, "type": {"device"}}},
		{"token issue", map[string][]string{"user": {"bench"}, "service": {"tasks"}}},
	} {
		text, err := operator.Run(ctx, step.path, step.values, nil)
		if err != nil {
			return fmt.Errorf("stoa %s: %w", step.path, err)
		}
		_ = json.Unmarshal(text, &made) // a user's number is not the id that is wanted
	}
	address := strings.TrimPrefix(s.URL, "http://")
	post := drive.Request(http.MethodPost, tasks, address, made.Token, oneTask)
	for range 30 {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+tasks, strings.NewReader(oneTask))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+made.Token)
		r.Header.Set("Content-Type", "application/json")
		text, err := answer(r)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &made); err != nil {
			return err
		}
	}
	get := func(path string) []byte { return drive.Request(http.MethodGet, path, address, made.Token, "") }
	form := url.Values{"client_id": {made.Client}, "scope": {"video"}}.Encode()
	code := fmt.Appendf(nil, "POST /device/code HTTP/1.1\r\nHost: %s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", address, len(form), form)
	s.calls = []call{
		{name: "GET task", request: get(tasks + "/" + made.ID)},
		{name: "GET 30 tasks", request: get(tasks + "?maxResults=30")},
		{name: "POST task", durable: true, request: post},
		{name: "POST device code", durable: true, request: code},
	}
	if err := s.addWrites(ctx, operator, address); err != nil {
		return err
	}
	for i := range s.calls {
		s.calls[i].address, s.calls[i].pid = address, s.PID()
	}
	return nil
}

// addWrites adds a durable call of two more services. A repository's events are not among them: their contract has at
// most a hundred requests of a user at a time.
func (s *server) addWrites(ctx context.Context, operator *admin.Client, address string) error {
	for _, c := range []struct{ name, service, path, body string }{
		{"POST event", "calendar", calendar, oneEvent},
		{"POST article", "articles", "/api/v2/items", oneArticle},
	} {
		text, err := operator.Run(ctx, "token issue", map[string][]string{"user": {"bench"}, "service": {c.service}}, nil)
		if err != nil {
			return fmt.Errorf("stoa token issue: %w", err)
		}
		var made struct{ Token string }
		if err := json.Unmarshal(text, &made); err != nil {
			return err
		}
		request := drive.Request(http.MethodPost, c.path, address, made.Token, c.body)
		s.calls = append(s.calls, call{name: c.name, durable: true, request: request})
	}
	return nil
}

// answer is the body of one that succeeds.
func answer(r *http.Request) ([]byte, error) {
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s %.200s", r.Method, r.URL.Path, response.Status, text)
	}
	return text, err
}

// bareWord makes this program a bare server instead of the measurement.
const bareWord = "bare-server"

// serveBare answers each request with the same bytes.
func serveBare(out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, listener.Addr())
	body := []byte(`{"kind":"tasks#task","title":"Sweep the steps","status":"needsAction"}`)
	h := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})}
	return h.Serve(listener)
}

// startBare runs the bare server as a child, as ours is one.
func startBare(ctx context.Context) (c call, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return c, nil, err
	}
	cmd := exec.CommandContext(ctx, self, bareWord)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return c, nil, err
	}
	if err := cmd.Start(); err != nil {
		return c, nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	c.name, c.pid = bareName, cmd.Process.Pid
	if _, err := fmt.Fscanln(stdout, &c.address); err != nil {
		stop()
		return c, nil, fmt.Errorf("bare server: %w", err)
	}
	c.request = drive.Request(http.MethodGet, "/", c.address, "", "")
	return c, stop, nil
}
