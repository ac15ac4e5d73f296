package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// How a command ended.
const (
	passed  = "passed"
	failed  = "failed"
	outlast = "out of time"
)

// result is one row of results.tsv.
type result struct {
	ID, Form string // form is short or long
	Outcome  string
	Took     string
	Date     string
	Command  string // as it was run
	Said     string // what the tests counted
}

// key: the short and the long form have a row each.
func (r result) key() string { return r.ID + " " + r.Form }

func readResults(file string) (map[string]result, error) {
	rows, err := fields(file, 7)
	if err != nil {
		return nil, err
	}
	all := map[string]result{}
	for _, r := range rows {
		x := result{ID: r[0], Form: r[1], Outcome: r[2], Took: r[3], Date: r[4], Command: r[5], Said: r[6]}
		all[x.key()] = x
	}
	return all, nil
}

func writeResults(file string, all map[string]result) error {
	var b strings.Builder
	b.WriteString("# Written by go run ./test/reliability; see doc.go.\n# id\tform\toutcome\ttook\tdate\tcommand\tsaid\n")
	for _, key := range slices.Sorted(maps.Keys(all)) {
		r := all[key]
		row := []string{r.ID, r.Form, r.Outcome, r.Took, r.Date, r.Command, r.Said}
		for i := range row {
			if row[i] == "" {
				row[i] = "-"
			}
		}
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// execute runs the command of a target.
func execute(ctx context.Context, root string, t target, long bool, limit time.Duration) result {
	r := result{ID: t.ID, Form: "short", Outcome: passed, Command: t.Command}
	if long && t.Long != "" {
		r.Form, r.Command = "long", t.Long
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", r.Command)
	cmd.Dir, cmd.WaitDelay = root, 10*time.Second
	out, err := runLogged(cmd, filepath.Join(root, ".cache", "reliability", t.ID+".log"))
	r.Took, r.Date = time.Since(began).Round(time.Second).String(), began.UTC().Format("2006-01-02")
	// A pattern that fits no test passes; it shows nothing.
	empty := bytes.Contains(out, []byte("no tests to run")) && !bytes.Contains(out, []byte("--- PASS"))
	if err != nil || empty {
		r.Outcome = failed
	}
	r.Said = counted(string(out))
	if r.Outcome == failed && ctx.Err() != nil {
		r.Outcome = outlast
	}
	if r.Outcome != passed {
		os.Stderr.Write(out)
	}
	return r
}

// runLogged runs a command, whose output can be followed in a file while it runs.
func runLogged(cmd *exec.Cmd, file string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	both := io.MultiWriter(&out, log)
	cmd.Stdout, cmd.Stderr = both, both
	err = errors.Join(cmd.Run(), log.Close())
	return out.Bytes(), err
}

// counts finds what tests log: a line of the form "    x_test.go:12: 50 kills".
var counts = regexp.MustCompile(`(?m)^\s+(?:\w+_test\.go:\d+: )(\d.*)$`)

// maxSaid bounds what is kept of a run.
const maxSaid = 160

// counted are the last lines of a run that begin with a number.
func counted(out string) string {
	var all []string
	for _, m := range counts.FindAllStringSubmatch(out, -1) {
		all = append(all, strings.Join(strings.Fields(m[1]), " "))
	}
	text := ""
	for _, line := range slices.Backward(all) {
		if len(text)+len(line) > maxSaid {
			break
		}
		if text != "" {
			line += "; "
		}
		text = line + text
	}
	return text
}
