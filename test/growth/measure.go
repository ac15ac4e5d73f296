package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	rows   int64
	server *program.Process
	env    map[string]string
	client *http.Client
	id     string
	began  time.Time // when the demo world was made
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

// measure starts all servers in turn, several times, and calls the last ones.
func measure(ctx context.Context, worlds []*world, k kind) ([]measured, error) {
	list := make([]measured, len(worlds))
	for i, w := range worlds {
		list[i].Rows = w.rows
		defer w.kill()
	}
	if err := starts(ctx, worlds, list); err != nil {
		return nil, err
	}
	for _, w := range worlds {
		if err := w.prepare(ctx); err != nil {
			return nil, err
		}
	}
	for _, c := range k.calls {
		got, err := callTimes(ctx, worlds, c)
		if err != nil {
			return nil, err
		}
		for i := range worlds {
			list[i].Calls = append(list[i].Calls, got[i])
		}
	}
	for i, w := range worlds {
		if err := w.totals(ctx, &list[i]); err != nil {
			return nil, fmt.Errorf("with %d rows: %w", w.rows, err)
		}
	}
	return list, nil
}

// starts notes the middle of several starts; the servers of the last round are left running.
func starts(ctx context.Context, worlds []*world, list []measured) error {
	all := make([][]time.Duration, len(worlds))
	for round := range worlds[0].starts {
		for i, w := range worlds {
			began := time.Now()
			if err := w.serve(ctx); err != nil {
				return fmt.Errorf("start with %d rows: %w", w.rows, err)
			}
			all[i] = append(all[i], time.Since(began))
			if round == w.starts-1 {
				continue
			}
			if err := w.server.Stop(ctx); err != nil {
				return err
			}
		}
	}
	for i := range worlds {
		list[i].Start = middle(all[i])
	}
	return nil
}

// prepare reads what the demo world's file says, and signs in.
func (w *world) prepare(ctx context.Context) (err error) {
	if w.env, err = program.DemoEnv(w.data); err != nil {
		return err
	}
	w.env["GROWN_FROM"] = strconv.FormatInt(w.oldestPoint().Unix(), 10)
	w.env["GROWN_TO"] = strconv.FormatInt(w.oldestPoint().Add(time.Hour).Unix(), 10)
	return w.signIn(ctx)
}

// totals are memory, a backup and what the folder holds; then the server is stopped.
func (w *world) totals(ctx context.Context, m *measured) (err error) {
	if m.Memory, err = residentMemory(w.server.PID()); err != nil {
		return err
	}
	if m.Backup, err = w.backup(ctx); err != nil {
		return err
	}
	if m.Disk, err = folderSize(w.data); err != nil {
		return err
	}
	return w.server.Stop(ctx)
}

func (w *world) kill() {
	if w.server != nil {
		w.server.Kill()
	}
}

// warmRounds are made before a call is measured.
const warmRounds = 20

// callTimes makes a call in each world in turn.
func callTimes(ctx context.Context, worlds []*world, c call) ([]times, error) {
	all := make([][]time.Duration, len(worlds))
	for round := range warmRounds + worlds[0].rounds {
		for i, w := range worlds {
			began := time.Now()
			if err := w.do(ctx, c); err != nil {
				return nil, fmt.Errorf("%s with %d rows: %w", c.name, w.rows, err)
			}
			if round >= warmRounds {
				all[i] = append(all[i], time.Since(began))
			}
		}
	}
	list := make([]times, len(worlds))
	for i, took := range all {
		slices.Sort(took)
		list[i] = times{Name: c.name, Middle: took[len(took)/2], Worst: took[len(took)*99/100]}
	}
	return list, nil
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

// folderSize passes over what the server removes meanwhile: blocks of points that it has joined.
func folderSize(folder string) (size int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
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
