//go:build strace

package disk_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

var fills = flag.Int("fills", 20, "how often the disk becomes full")

// smallDisk is a file system of 64 MB that a server has for itself, in a name space that a
// process holds open.
type smallDisk struct {
	inside  string // the folder as the server sees it
	outside string // the same as this process sees it
	stoa    string // runs the program there
	held    *exec.Cmd
}

func newSmallDisk(t *testing.T, binary string) *smallDisk {
	t.Helper()
	d := &smallDisk{inside: t.TempDir(), stoa: filepath.Join(t.TempDir(), "stoa")}
	d.held = exec.Command("unshare", "-rm", "sh", "-c",
		`mount -t tmpfs -o size=64m,mode=700 none "$0" && echo mounted && exec cat`, d.inside)
	in, err := d.held.StdinPipe() // its end ends the holder
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.held.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var failed bytes.Buffer
	d.held.Stderr = &failed
	if err := d.held.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = d.held.Wait() }) // nothing is left of it
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "mounted\n" {
		t.Fatalf("a file system in a name space of its own: %q %v %s", line, err, failed.String())
	}
	pid := d.held.Process.Pid
	d.outside = fmt.Sprintf("/proc/%d/root%s", pid, d.inside)
	text := fmt.Sprintf("#!/bin/sh\nexec nsenter -t %d -U -m --preserve-credentials %s \"$@\"\n", pid, binary)
	if err := os.WriteFile(d.stoa, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return d
}

// fill takes all space but some bytes.
func (d *smallDisk) fill(t *testing.T, but int64) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(d.outside, "filler"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var size int64
	for piece := make([]byte, 64<<10); ; {
		n, err := f.Write(piece)
		size += int64(n)
		if errors.Is(err, syscall.ENOSPC) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(max(0, size-but)); err != nil {
		t.Fatal(err)
	}
}

func (d *smallDisk) free(t *testing.T) {
	t.Helper()
	if err := os.Remove(filepath.Join(d.outside, "filler")); err != nil {
		t.Fatal(err)
	}
}

// put sends a task with long notes, so that space is soon used up.
func put(t *testing.T, url, token, title string) (code int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/tasks/v1/lists/@default/tasks",
		strings.NewReader(fmt.Sprintf(`{"title":%q,"notes":%q}`, title, strings.Repeat("long ", 1200))))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestFullDisk fills the disk of a running server and keeps it full: writes are refused in
// the form of the service, reads go on, a backup is refused and leaves nothing. When there
// is space again, writes go on within 5 s, and all that was acknowledged is there, also
// after a kill.
func TestFullDisk(t *testing.T) {
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	template := t.TempDir()
	token := prepare(t, binary, template)
	d := newSmallDisk(t, binary)
	dir := filepath.Join(d.inside, "data")
	if out, err := exec.Command("cp", "-a", template, filepath.Join(d.outside, "data")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	_ = os.Remove(filepath.Join(d.outside, "data", "admin.sock")) // of the server that was killed
	p := startPlain(t, d.stoa, dir)
	defer func() { p.Kill() }()
	known, refused, longest := []string{}, 0, time.Duration(0)
	for n := range *fills {
		d.fill(t, rand.Int64N(512<<10))
		acked, bad := putUntilRefused(t, p.URL, token, fmt.Sprintf("full %d", n))
		known, refused = append(known, acked...), refused+bad
		checkTitles(t, titles(t, p.URL, token), known[max(0, len(known)-5):])
		refuseBackup(t, d, dir)
		stopped := n%5 == 4
		if stopped { // the log is moved into the file, for which there is no space
			t.Logf("a stop on the full disk: %v", p.Stop(t.Context()))
		}
		d.free(t)
		if stopped {
			p = startPlain(t, d.stoa, dir)
		}
		took, title := putAgain(t, p.URL, token, fmt.Sprintf("free %d", n))
		known, longest = append(known, title), max(longest, took)
		if t.Failed() {
			t.Fatalf("stopped after fill %d\n%s", n+1, p.Output())
		}
	}
	t.Logf("%d fills: %d writes acknowledged, %d refused; the longest wait for the first after was %s", *fills, len(known),
		refused, longest)
	p.Kill()
	p = startPlain(t, d.stoa, dir)
	checkTitles(t, allTitles(t, p.URL, token), known)
	if out, err := runCheck(d.stoa, dir); err != nil {
		t.Errorf("stoa check: %v\n%s", err, out)
	}
}

// putUntilRefused writes until the disk is full, and then some more.
func putUntilRefused(t *testing.T, url, token, name string) (known []string, refused int) {
	t.Helper()
	for n := range 2000 {
		title := fmt.Sprintf("%s, %d", name, n)
		switch code, body := put(t, url, token, title); {
		case code == http.StatusOK:
			known = append(known, title)
			continue
		case code != http.StatusInsufficientStorage && code != http.StatusServiceUnavailable:
			t.Errorf("%s: %d %s, want 507 or 503", title, code, body)
		case !envelope(body, code):
			t.Errorf("%s: %d %s, want an error in the form of the service", title, code, body)
		}
		if refused++; refused == 5 || t.Failed() {
			return known, refused
		}
	}
	t.Errorf("%s: the disk did not become full", name)
	return known, refused
}

// envelope reports whether an answer is an error as the service has them.
func envelope(body string, code int) bool {
	var e struct {
		Error struct {
			Code            int
			Message, Status string
		}
	}
	err := json.Unmarshal([]byte(body), &e)
	return err == nil && e.Error.Code == code && e.Error.Message != "" && e.Error.Status != ""
}

// putAgain writes as soon as that works.
func putAgain(t *testing.T, url, token, title string) (time.Duration, string) {
	t.Helper()
	began := time.Now()
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s, %d", title, n)
		code, body := put(t, url, token, name)
		took := time.Since(began)
		if code == http.StatusOK {
			return took, name
		}
		if took > 5*time.Second {
			t.Fatalf("%s after there is space again: %d %s", took, code, body)
		}
	}
}

// refuseBackup makes a backup on the full disk, which fails and leaves nothing.
func refuseBackup(t *testing.T, d *smallDisk, dir string) {
	t.Helper()
	c := exec.Command(d.stoa, "backup", "--data", dir, filepath.Join(d.inside, "backup"))
	c.Env = program.Environ()
	if out, err := c.CombinedOutput(); err == nil {
		t.Errorf("a backup on a full disk: %s, want an error", out)
	}
	for _, name := range []string{"backup", "backup.part"} {
		if _, err := os.Stat(filepath.Join(d.outside, name)); err == nil {
			t.Errorf("a backup that failed left %s", name)
		}
	}
}

func checkTitles(t *testing.T, stored string, known []string) {
	t.Helper()
	for _, title := range known {
		if !strings.Contains(stored, `"`+title+`"`) {
			t.Errorf("%s was acknowledged and is lost", title)
		}
	}
}

// allTitles are the answers of all pages.
func allTitles(t *testing.T, url, token string) string {
	t.Helper()
	var all strings.Builder
	for page := ""; ; {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			url+"/tasks/v1/lists/@default/tasks?maxResults=100&pageToken="+page, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close() // it was read to its end
		var answer struct{ NextPageToken string }
		if err := errors.Join(err, json.Unmarshal(text, &answer)); err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%d %s %v", response.StatusCode, text, err)
		}
		all.Write(text)
		if page = answer.NextPageToken; page == "" {
			return all.String()
		}
	}
}
