package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

// world is a data folder with a demo world, and a server of it while there is one.
type world struct {
	options
	data   string
	server *program.Process
	env    map[string]string
	client *http.Client
	id     string
	began  time.Time // when the world was made
}

// measured is what was seen at one size.
type measured struct {
	kind         string
	rows         int64
	start        time.Duration
	backup       time.Duration
	disk, memory int64
	calls        []times
}

// times are those of one call.
type times struct {
	name          string
	middle, worst time.Duration
}

// raisedLimits let one generator play many users.
func raisedLimits() []string {
	const many = "=1000000000"
	list := []string{"STOA_LOG_LEVEL=error"}
	for _, name := range []string{
		"TASKS_REQUESTS_PER_DAY", "TASKS_MAX_LIST_TASKS", "TASKS_MAX_TASKS", "CALENDAR_REQUESTS_PER_MINUTE",
		"EVENTS_LIMITS_USER", "EVENTS_LIMITS_POINTS", "EVENTS_LIMITS_CONTENT_MINUTE", "EVENTS_LIMITS_CONTENT_HOUR",
		"ARTICLES_USER_PER_HOUR", "SNAPSHOTS_SNAPSHOTS_PER_HOUR", "SNAPSHOTS_QUERIES_PER_HOUR",
		"SNAPSHOTS_REQUESTS_PER_MINUTE", "SNAPSHOTS_POINTS_PER_MINUTE", "SNAPSHOTS_MAX_ACTIVE_SERIES",
	} {
		list = append(list, "STOA_"+name+many)
	}
	return list
}

func (w *world) serve(ctx context.Context) (err error) {
	w.server, err = program.Start(ctx, program.Options{
		Binary: w.binary, Data: w.data, Args: []string{"--demo"}, Env: raisedLimits(),
	})
	return err
}

// make lets the program write a demo world.
func (w *world) make(ctx context.Context) error {
	w.began = time.Now()
	if err := w.serve(ctx); err != nil {
		return err
	}
	return w.server.Stop(ctx)
}

// measure starts the server several times and calls the last one.
func (w *world) measure(ctx context.Context, k kind) (m measured, err error) {
	var starts []time.Duration
	for i := range w.starts {
		began := time.Now()
		if err := w.serve(ctx); err != nil {
			return m, err
		}
		starts = append(starts, time.Since(began))
		if i < w.starts-1 {
			if err := w.server.Stop(ctx); err != nil {
				return m, err
			}
		}
	}
	defer w.server.Kill()
	m.start = middle(starts)
	if w.env, err = program.DemoEnv(w.data); err != nil {
		return m, err
	}
	w.env["GROWN_FROM"] = strconv.FormatInt(w.oldestPoint().Unix(), 10)
	w.env["GROWN_TO"] = strconv.FormatInt(w.oldestPoint().Add(time.Hour).Unix(), 10)
	if err := w.signIn(ctx); err != nil {
		return m, err
	}
	for _, c := range k.calls {
		t, err := w.times(ctx, c)
		if err != nil {
			return m, err
		}
		m.calls = append(m.calls, t)
	}
	if m.memory, err = residentMemory(w.server.PID()); err != nil {
		return m, err
	}
	if m.backup, err = w.backup(ctx); err != nil {
		return m, err
	}
	if m.disk, err = folderSize(w.data); err != nil {
		return m, err
	}
	return m, w.server.Stop(ctx)
}

// warmRounds are made before a call is measured.
const warmRounds = 20

func (w *world) times(ctx context.Context, c call) (times, error) {
	var list []time.Duration
	for i := range warmRounds + w.rounds {
		began := time.Now()
		if err := w.do(ctx, c); err != nil {
			return times{}, err
		}
		if i >= warmRounds {
			list = append(list, time.Since(began))
		}
	}
	slices.Sort(list)
	return times{name: c.name, middle: list[len(list)/2], worst: list[len(list)*99/100]}, nil
}

// do makes one call, and notes the id of what it made.
func (w *world) do(ctx context.Context, c call) error {
	words := []string{"{id}", w.id, "{now}", strconv.FormatInt(time.Now().Unix(), 10)}
	for name, value := range w.env {
		words = append(words, "{"+name+"}", value)
	}
	fill := strings.NewReplacer(words...)
	r, err := http.NewRequestWithContext(ctx, c.method, w.server.URL+fill.Replace(c.path),
		strings.NewReader(fill.Replace(c.body)))
	if err != nil {
		return err
	}
	if !c.console {
		r.Header.Set("Authorization", "Bearer "+w.env["STOA_TOKEN"])
	}
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	body, err := w.answer(r)
	if err != nil || c.method != http.MethodPost {
		return err
	}
	var made struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(body, &made); err != nil {
		return err
	}
	w.id = strings.Trim(string(made.ID), `"`)
	return nil
}

func (w *world) answer(r *http.Request) ([]byte, error) {
	response, err := w.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s %.300s", r.Method, r.URL.Path, response.Status, body)
	}
	return body, err
}

// signIn begins a session of the console.
func (w *world) signIn(ctx context.Context) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	w.client = &http.Client{Jar: jar}
	values := url.Values{"name": {w.env["STOA_USER"]}, "password": {w.env["STOA_PASSWORD"]}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.server.URL+"/console/sign-in",
		strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", w.server.URL)
	_, err = w.answer(r)
	return err
}

// backup takes one while the server runs.
func (w *world) backup(ctx context.Context) (time.Duration, error) {
	folder := w.data + "-backup"
	defer os.RemoveAll(folder) // the next backup says so if it is still there
	command := exec.CommandContext(ctx, w.binary, "backup", folder, "--data", w.data)
	command.Env = program.Environ()
	began := time.Now()
	out, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("stoa backup: %w\n%s", err, out)
	}
	return time.Since(began), err
}

func residentMemory(pid int) (int64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, fmt.Errorf("statm of %d is %q", pid, text)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

func folderSize(folder string) (size int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

func middle(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
