package crash_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// TestFewDescriptors runs the server with 128 descriptors and opens more connections than it can
// have, each with half a request: two rounds, two minutes in full. It lives, and serves again
// when they are gone.
func TestFewDescriptors(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "stoa")
	text := fmt.Sprintf("#!/bin/sh\nulimit -n 128\nexec %s \"$@\"\n", binary)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &serviceRun{binary: script, data: t.TempDir()}
	p := r.start(t, "--demo")
	if r.env, err = program.DemoEnv(r.data); err != nil {
		t.Fatal(err)
	}
	s := storings(r.env["STOA_REPO"])[0]
	end := time.Now()
	if full() {
		end = end.Add(2 * time.Minute)
	}
	most, round, longest := 0, 0, time.Duration(0)
	for ; round < 2 || time.Now().Before(end); round++ {
		most = max(most, crowd(t, p.URL))
		began := time.Now()
		r.serves(t, p, s, round)
		longest = max(longest, time.Since(began))
		if t.Failed() {
			t.Fatalf("stopped after round %d\n%s", round+1, p.Output())
		}
	}
	r.audit(t, p.URL, s, s.fresh)
	t.Logf("%d rounds of up to %d connections, %d writes between them, the longest after %s", round, most, len(s.acked),
		longest)
	t.Logf("at most %d kB in memory", peakMemory(t, p.PID()))
	p.Kill()
	if out, err := exec.Command(binary, "check", "--data", r.data).CombinedOutput(); err != nil {
		t.Errorf("stoa check: %v\n%s", err, out)
	}
}

// peakMemory is the most that a process had in memory, in kB.
func peakMemory(t *testing.T, pid int) (kb int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	return kb
}

// crowd opens connections until twice the descriptors are there, with the beginning of a
// request on each, and closes them.
func crowd(t *testing.T, url string) (opened int) {
	t.Helper()
	var all []net.Conn
	for range 256 {
		c, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), 2*time.Second)
		if err != nil {
			break // the queue of the listener is full
		}
		all = append(all, c)
		_, _ = c.Write([]byte("POST /tasks/v1/lists/@default/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\n")) // may be refused
	}
	if len(all) < 128 {
		t.Errorf("%d connections were opened: no descriptor is short", len(all))
	}
	for _, c := range all {
		_ = c.Close() // they are given up
	}
	return len(all)
}

// serves writes once as soon as that works: within 30 s, far above what it takes.
func (r *serviceRun) serves(t *testing.T, p *program.Process, s *storing, round int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	mark := fmt.Sprintf("round-%d.", round)
	for {
		code, text := r.ask(ctx, c, p.URL+s.path, s, strings.ReplaceAll(s.body, "MARK", mark))
		if found := s.id.FindStringSubmatch(text); code == http.StatusOK && found != nil {
			s.acked[found[1]] = mark
			s.fresh = append(s.fresh, found[1])
			return
		}
		if ctx.Err() != nil {
			t.Errorf("round %d: the server does not serve again: %d %s", round, code, text)
			return
		}
	}
}
