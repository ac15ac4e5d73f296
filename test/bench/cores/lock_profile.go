package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app/admin"
)

// locks are those that a call's clients waited for.
type locks struct {
	Call    string
	Clients int
	Rate    float64
	Took    time.Duration
	Waited  []waited // the longest first
}

// waited is how long all goroutines together waited for what one function unlocks.
type waited struct {
	Lock string
	Time time.Duration
}

// share is which part of the clients' time it is.
func (l locks) share(w waited) float64 {
	return w.Time.Seconds() / (float64(l.Clients) * l.Took.Seconds())
}

// recordLocks asks each call from as many clients as there are, on a server of its own:
// the runtime adds up what it records until the process ends.
func (p plan) recordLocks(ctx context.Context) (list []locks, err error) {
	for i := 0; ; i++ {
		s, err := startServer(ctx, p.Binary, filepath.Join(p.Dir, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		if i == len(s.calls) {
			s.Kill()
			return list, nil
		}
		got, err := p.recordCall(ctx, s.calls[i], filepath.Join(p.Dir, strconv.Itoa(i)))
		s.Kill()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.calls[i].name, err)
		}
		list = append(list, got)
	}
}

func (p plan) recordCall(ctx context.Context, c call, data string) (l locks, err error) {
	operator, _, err := admin.Dial(ctx, data)
	if err != nil {
		return l, err
	}
	defer operator.Close()
	file := filepath.Join(p.Dir, "mutex-"+filepath.Base(data))
	recorded := make(chan error, 1)
	go func() {
		time.Sleep(p.Warm)
		_, err := operator.Run(ctx, "profile", map[string][]string{
			"kind": {"mutex"}, "file": {file}, "for": {p.Profile.String()},
		}, nil)
		recorded <- err
	}()
	clients := slices.Max(p.Clients)
	sample, err := p.load(c, clients, p.Profile).Run(ctx)
	if err := cmp.Or(err, <-recorded); err != nil {
		return l, err
	}
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", "-unit=ns", "-sample_index=delay", file)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return l, fmt.Errorf("go tool pprof: %w\n%s", err, stderr.String())
	}
	l = locks{Call: c.name, Clients: clients, Rate: sample.Rate, Took: p.Profile}
	l.Waited, err = parseTraces(out.String())
	return l, err
}

// parseTraces adds up the stacks that go tool pprof prints by the function that
// unlocked, the longest first.
func parseTraces(text string) (list []waited, err error) {
	sums := map[string]time.Duration{}
	var stack []string
	var took time.Duration
	end := func() {
		if len(stack) > 0 {
			sums[unlocker(stack)] += took
		}
		stack, took = nil, 0
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), " (inline)")
		if strings.HasPrefix(line, "---") {
			end()
			continue
		}
		value, function, first := strings.Cut(line, "ns ")
		nanoseconds, notNumber := strconv.ParseFloat(value, 64)
		switch {
		case first && notNumber == nil:
			took, stack = time.Duration(nanoseconds), []string{strings.TrimSpace(function)}
		case len(stack) > 0 && line != "":
			stack = append(stack, line)
		}
	}
	end()
	for lock, d := range sums {
		list = append(list, waited{Lock: lock, Time: d})
	}
	slices.SortFunc(list, func(a, b waited) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Lock, b.Lock))
	})
	if len(list) == 0 && !strings.Contains(text, "Type: delay") {
		err = fmt.Errorf("go tool pprof printed no profile of locks: %.200s", text)
	}
	return list, err
}

// unlocker is the first function of a stack that is not the lock itself. Locks of the
// runtime have none and are named by their own.
func unlocker(stack []string) string {
	for _, function := range stack {
		if !strings.HasPrefix(function, "sync.") && !strings.HasPrefix(function, "internal/sync.") &&
			!strings.HasPrefix(function, "runtime.") {
			return function
		}
	}
	return stack[0]
}
