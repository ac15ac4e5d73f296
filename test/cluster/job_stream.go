package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// jobStream starts pipeline jobs, which the worker runs; each keeps an artifact in the
// bucket.
type jobStream struct {
	client *client
	path   string
	acked  []int64
}

const jobConfig = `version: 2
jobs:
  build:
    steps:
      - run: echo begun; sleep 0.3; echo done > mark.txt
      - store_artifacts:
          path: mark.txt
`

// newJobStream gives the demo's repository the configuration of the jobs.
func newJobStream(ctx context.Context, n *nodes, c *client, repo, token string) (*jobStream, error) {
	dir := filepath.Join(n.c.dir, "checkout")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	address := strings.Replace(n.url(0), "http://", "http://x:"+token+"@", 1) + "/git/" + repo + ".git"
	for _, args := range [][]string{
		{"clone", "-q", address, "."}, {"commit", "-q", "-a", "-m", "jobs of the cluster [skip ci]"},
		{"push", "-q", address, "HEAD:main"},
	} {
		if args[0] == "commit" {
			if err := os.WriteFile(filepath.Join(dir, "pipeline.yml"), []byte(jobConfig), 0o600); err != nil {
				return nil, err
			}
		}
		cmd := exec.CommandContext(ctx, "git",
			append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return &jobStream{client: c, path: "/api/v1.1/project/vcs_a/" + repo}, nil
}

func (s *jobStream) label() string       { return "jobs" }
func (s *jobStream) pace() time.Duration { return 3 * time.Second }

func (s *jobStream) write(ctx context.Context) (bool, error) {
	status, content := s.client.send(ctx, http.MethodPost, s.path, "")
	if status != http.StatusCreated {
		return false, nil
	}
	var made pipelineJob
	if err := json.Unmarshal(content, &made); err != nil {
		return false, err
	}
	s.acked = append(s.acked, made.Num)
	return true, nil
}

// pipelineJob is what the audit looks at.
type pipelineJob struct {
	Num     int64   `json:"build_num"`
	Status  string  `json:"status"`
	Outcome string  `json:"outcome"`
	Retries []int64 `json:"retries"`
	Stop    *string `json:"stop_time"`
}

// errBroken is a job that ended as infrastructure_fail: the worker could not reach the
// database while it ran. It is on record as such and is not run again by itself.
var errBroken = errors.New("infrastructure_fail")

// audit follows every accepted job to the run that succeeded.
func (s *jobStream) audit(ctx context.Context) (verdict, error) {
	v := verdict{acked: len(s.acked)}
	for _, number := range s.acked {
		runs, err := s.follow(ctx, number)
		if errors.Is(err, errBroken) {
			v.broken++
			continue
		}
		if err != nil {
			fmt.Println("jobs:", err)
			v.lost++
			continue
		}
		v.repeated += runs - 1
	}
	return v, ctx.Err()
}

func (s *jobStream) follow(ctx context.Context, number int64) (runs int, err error) {
	runs = 1
	for range 240 {
		var j pipelineJob
		status, content, err := s.client.read(ctx, fmt.Sprintf("%s/%d", s.path, number))
		if err != nil || status != http.StatusOK || json.Unmarshal(content, &j) != nil {
			return runs, fmt.Errorf("job %d: %d %w", number, status, err)
		}
		switch {
		case j.Stop == nil:
			if err := rest(ctx, 500*time.Millisecond); err != nil {
				return runs, err
			}
		case j.Outcome == "success":
			return runs, s.artifact(ctx, number)
		case len(j.Retries) == 1:
			number = j.Retries[0]
			runs++
		case j.Outcome == errBroken.Error():
			return runs, errBroken
		default:
			return runs, fmt.Errorf("job %d ended as %s", number, j.Status)
		}
	}
	return runs, fmt.Errorf("job %d has no end", number)
}

func (s *jobStream) artifact(ctx context.Context, number int64) error {
	status, content, err := s.client.read(ctx, fmt.Sprintf("%s/%d/artifacts", s.path, number))
	var kept []struct{ Path string }
	if err != nil || status != http.StatusOK || json.Unmarshal(content, &kept) != nil || len(kept) != 1 {
		return fmt.Errorf("job %d has the artifacts %s: %w", number, content, err)
	}
	return nil
}
