package product_test

import (
	"flag"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// The most that the binaries may have, in bytes.
const (
	maxFull  = 80_000_000
	maxSmall = 45_000_000
)

// compile builds a kind of the binary with the flags of make build and make build-small.
func compile(t *testing.T, kind string) string {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "stoa")
	c := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "binary.sh"), kind, "test", "-o", binary)
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), "GOFLAGS=-buildvcs=false"), t.Output(), t.Output()
	if err := c.Run(); err != nil {
		t.Fatalf("tools/binary.sh: %v", err)
	}
	return binary
}

func checkSize(t *testing.T, binary string, most int64) {
	t.Helper()
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > most {
		t.Errorf("the binary has %d bytes, want at most %d: find the weight with go tool nm -size -sort size",
			info.Size(), most)
	}
	t.Logf("%d bytes", info.Size())
}

// full is for make sizes, small for make small-check.
var (
	full  = flag.Bool("full", false, "build both binaries as a release does and bound their sizes")
	small = flag.Bool("small", false, "build the small binary as make test builds the other and try it")
)

// TestSizes builds both binaries as a release does and bounds their sizes.
func TestSizes(t *testing.T) {
	t.Parallel()
	if !*full {
		return // make sizes
	}
	checkSize(t, compile(t, "full"), maxFull)
	binary := compile(t, "small")
	checkSize(t, binary, maxSmall)
	trySmall(t, binary)
}

// TestSmallBuild tries what the small build has and is without. Its database compiles nearly every package of the
// project anew, a tenth of the time of make test, where TestSmallBuildCompiles is instead.
func TestSmallBuild(t *testing.T) {
	t.Parallel()
	if !*small {
		return // make small-check
	}
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "stoa")
	c := exec.CommandContext(t.Context(), "go", "build", "-tags", "small", "-ldflags", "-s -w",
		"-o", binary, "./cmd/stoa")
	c.Dir, c.Env = root, append(os.Environ(), "CGO_ENABLED=0", program.GoFlags())
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	trySmall(t, binary)
}

func trySmall(t *testing.T, binary string) {
	t.Helper()
	t.Run("serves", func(t *testing.T) { serveSmall(t, binary) })
	t.Run("refuses settings", func(t *testing.T) { refuseSettings(t, binary) })
}

// serveSmall wants a demo world that answers tasks and refuses metrics with the service's
// envelope.
func serveSmall(t *testing.T, binary string) {
	data := t.TempDir()
	server, err := program.Start(t.Context(), program.Options{Binary: binary, Data: data, Args: []string{"--demo"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	env, err := program.DemoEnv(data)
	if err != nil {
		t.Fatal(err)
	}
	keys := http.Header{
		"Svc-Api-Key": {env["STOA_API_KEY"]}, "Svc-Application-Key": {env["STOA_APP_KEY"]},
		"Content-Type": {"application/json"},
	}
	refusal := `{"errors":["this is the small build, which has no metrics engine; use the full one"]`
	for _, row := range []struct {
		name, method, path, body string
		header                   http.Header
		status                   int
		says                     string
	}{
		{
			"task lists", http.MethodGet, "/tasks/v1/users/@me/lists", "",
			http.Header{"Authorization": {"Bearer " + env["STOA_TOKEN"]}}, http.StatusOK, `"items"`,
		},
		{"the console's page", http.MethodGet, "/console", "", nil, http.StatusOK, "<html"},
		{"a page of the manual", http.MethodGet, "/docs/getting-started", "", nil, http.StatusOK, "<code>"},
		{
			"a query", http.MethodGet, "/api/v1/query?from=1&to=100&query=" + url.QueryEscape("avg:system.cpu.user{*}"), "",
			keys, http.StatusNotImplemented, refusal,
		},
		{
			"points", http.MethodPost, "/api/v2/series",
			`{"series":[{"metric":"a.b","points":[{"timestamp":` + strconv.FormatInt(time.Now().Unix(), 10) +
				`,"value":1}]}]}`, keys,
			http.StatusNotImplemented, refusal,
		},
		{
			"a graph", http.MethodGet, "/api/v1/graph/snapshot?start=1&end=100&metric_query=" +
				url.QueryEscape("avg:system.cpu.user{*}"), "", keys, http.StatusNotImplemented, refusal,
		},
	} {
		got := fetch(t, row.method, server.URL+row.path, row.header, row.body)
		if got.status != row.status || !strings.Contains(got.text, row.says) {
			t.Errorf("%s: %d %.300s, want %d with %s", row.name, got.status, got.text, row.status, row.says)
		}
	}
}

// refuseSettings asks a small build for what it is without.
func refuseSettings(t *testing.T, binary string) {
	for setting, value := range map[string]string{
		"STOA_DATABASE_URL": "postgres://db.example/stoa", "STOA_LOG_OTLP": "http://127.0.0.1:4318",
		"STOA_SNAPSHOTS_BACKEND": "http://127.0.0.1:9090", "STOA_PACKAGES_TRUSTED_ROOT": "/roots.json",
		"STOA_BLOB_STORE": "s3", "STOA_KMS_AWSKMS_KEY": "1234",
	} {
		for _, args := range [][]string{{"serve"}, {"doctor"}} {
			c := exec.CommandContext(t.Context(), binary, append(args, "--data", t.TempDir())...)
			c.Env = append(os.Environ(), setting+"="+value)
			out, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "this is the small build, which has no") {
				t.Errorf("%s with %s: %v\n%.400s", strings.Join(args, " "), setting, err, out)
			}
		}
	}
	out, err := exec.CommandContext(t.Context(), binary, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "metrics engine") {
		t.Errorf("version: %v\n%s", err, out)
	}
}
