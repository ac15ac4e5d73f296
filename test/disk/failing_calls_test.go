//go:build strace

package disk_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/test/program"
)

var callNumbers = flag.Int("calls", 10, "how many calls of each kind fail, one in each run")

// TestFailingCalls lets a call of the operating system fail below a running server,
// once: flushes and writes that report an I/O error or a full disk. What the server
// acknowledged nevertheless is there after a kill, and nothing is damaged.
func TestFailingCalls(t *testing.T) {
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	template := t.TempDir()
	token := prepare(t, binary, template)
	runs, refused, acked := 0, 0, 0
	for _, kind := range []string{
		"fsync,fdatasync:error=EIO", "pwrite64,write,pwritev:error=EIO", "pwrite64,pwritev:error=ENOSPC",
		"pread64:error=EIO",
	} {
		for n := 1; n <= *callNumbers; n++ {
			t.Run(fmt.Sprintf("%s %d", kind, n), func(t *testing.T) {
				ok, bad := failOne(t, binary, template, token, fmt.Sprintf("%s:when=%d", kind, n*(n+1)/2))
				runs, refused, acked = runs+1, refused+bad, acked+ok
			})
		}
	}
	t.Logf("%d runs with a failing call, %d writes acknowledged, %d refused", runs, acked, refused)
	if refused == 0 {
		t.Error("no write was refused: the failures did not reach the server")
	}
}

// prepare fills a folder that the runs begin with.
func prepare(t *testing.T, binary, dir string) (token string) {
	t.Helper()
	p := startPlain(t, binary, dir)
	defer p.Kill()
	commands, _, err := admin.Dial(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer commands.Close()
	if _, err := commands.Run(t.Context(), "user add",
		map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}}, nil); err != nil {
		t.Fatal(err)
	}
	text, err := commands.Run(t.Context(), "token issue", map[string][]string{"user": {"ada"}, "service": {"tasks"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ Token string }
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	return made.Token
}

func startPlain(t *testing.T, binary, dir string) *program.Process {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{Binary: binary, Data: dir, Env: []string{"STOA_LOG_LEVEL=error"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// failOne runs a server on a copy of the folder and lets one call fail.
func failOne(t *testing.T, binary, template, token, inject string) (acked, refused int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if out, err := exec.Command("cp", "-a", template, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	_ = os.Remove(filepath.Join(dir, "admin.sock")) // of the server that was killed
	calls, _, _ := strings.Cut(inject, ":")
	// -D keeps the server the child of this process.
	script := filepath.Join(t.TempDir(), "stoa")
	if err := os.WriteFile(script, []byte(fmt.Sprintf("#!/bin/sh\nexec strace -D -f -qq -o /dev/null -e trace=%s "+
		"-e inject=%s %s \"$@\"\n", calls, inject, binary)), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := program.Start(t.Context(), program.Options{Binary: script, Data: dir, Env: []string{"STOA_LOG_LEVEL=error"}})
	if err != nil {
		t.Logf("the start is refused: %.200v", err)
		return 0, 1
	}
	var known []string
	for n := range 12 {
		title := fmt.Sprintf("task %d", n)
		if insert(t, p.URL, token, title) {
			known = append(known, title)
		} else {
			refused++
		}
	}
	p.Kill()
	again := startPlain(t, binary, dir)
	defer again.Kill()
	stored := titles(t, again.URL, token)
	for _, title := range known {
		if !strings.Contains(stored, `"`+title+`"`) {
			t.Errorf("%s was acknowledged and is lost", title)
		}
	}
	if out, err := exec.Command(binary, "check", "--data", dir).CombinedOutput(); err != nil {
		t.Errorf("stoa check: %v\n%s", err, out)
	}
	return len(known), refused
}

// insert reports whether a task was acknowledged. A refusal says when to come back.
func insert(t *testing.T, url, token, title string) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/tasks/v1/lists/@default/tasks",
		strings.NewReader(fmt.Sprintf(`{"title":%q}`, title)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 20 * time.Second}
	response, err := client.Do(r)
	if err != nil {
		return false // a write to the connection itself may have failed
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err == nil && response.StatusCode == http.StatusOK
}

func titles(t *testing.T, url, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/tasks/v1/lists/@default/tasks?maxResults=100", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %v", response.StatusCode, text, err)
	}
	return string(text)
}
