package crash_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/test/program"
)

// workerPipeline keeps nothing, because no store is shared between processes:
// the worker is told of one that no client asks.
const workerPipeline = `version: 2
jobs:
  build:
    steps:
      - checkout
      - run: sleep 0.3
  slow:
    steps:
      - run: sleep 600
`

// startWorker runs `stoa worker` beside a server and returns when it takes jobs.
func (r *jobRun) startWorker(t *testing.T, database string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(r.binary, "worker", "--data", t.TempDir(), "--database", database)
	cmd.Env = append(program.Environ(),
		"STOA_ROOT_KEY="+filepath.Join(r.data, "root.key"), "STOA_FORGE_DIR="+filepath.Join(r.data, "git"),
		"STOA_BASE_URL="+r.process.URL,
		"STOA_BLOB_STORE=s3", "STOA_BLOB_S3_ENDPOINT=http://127.0.0.1:9", "STOA_BLOB_S3_BUCKET=none",
		"STOA_BLOB_S3_ACCESS_KEY=none", "STOA_BLOB_S3_SECRET_KEY=none",
		"STOA_PIPELINES_LEASE=3s", "STOA_PIPELINES_CONCURRENCY=4", "STOA_LOG_LEVEL=error")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "ready") {
		t.Fatalf("the worker says %q: %v", line, err)
	}
	return cmd
}

// kill ends a worker without a word. It may have ended already.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestKillWorkers runs jobs in two processes beside the server, kills one of
// them, and cancels a job that another process runs.
func TestKillWorkers(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	database := databasetest.PostgresURL(t)
	r := &jobRun{
		binary: binary, data: t.TempDir(), jobs: 12, config: workerPipeline,
		args: []string{"--demo", "--database", database}, env: []string{"STOA_PIPELINES_CONCURRENCY=0"},
	}
	r.start(t)
	r.push(t)
	first := r.startWorker(t, database)
	r.startWorker(t, database)
	accepted := []int64{}
	for range r.jobs {
		accepted = append(accepted, r.trigger(t))
	}
	r.awaitRunning(t)
	kill(first)
	all := r.settle(t)
	byNum := map[int64]job{}
	for _, j := range all {
		byNum[j.Num] = j
	}
	for _, num := range accepted {
		r.follow(t, byNum[num], byNum)
	}

	var slow job
	r.call(t, "POST", " slow", http.StatusCreated, &slow)
	for until := time.Now().Add(time.Minute); slow.Lifecycle != "running" &&
		time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		r.call(t, "GET", fmt.Sprintf("/%d", slow.Num), http.StatusOK, &slow)
	}
	r.call(t, "POST", fmt.Sprintf("/%d/cancel", slow.Num), http.StatusOK, &slow)
	if slow.Status != "canceled" {
		t.Errorf("canceled in another process: %+v", slow)
	}
}
