package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// passWord makes this program the child that measures a pass.
const passWord = "pass"

// measured is what a pass gives.
type measured struct {
	Points []point
	Locks  []locks
}

// point is one call with so many clients on so many processors.
type point struct {
	Call                string
	Durable             bool
	Processors, Clients int
	Rate                float64
	P99                 time.Duration
	// Server and Generator are the processor time of each an answer.
	Server, Generator time.Duration
	// Writer is the share of the time in which the writer of the database worked.
	Writer float64
}

// busy is the share of the processors that server and generator used.
func (p point) busy() float64 {
	return p.Rate * (p.Server + p.Generator).Seconds() / float64(p.Processors)
}

// measurePass measures what the plan says and prints it for the parent.
func measurePass(ctx context.Context, text string, out io.Writer) error {
	var p plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	var got measured
	var err error
	if p.Profile > 0 {
		got.Locks, err = p.recordLocks(ctx)
	} else {
		got.Points, err = p.measureCalls(ctx)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(got)
}

func (p plan) measureCalls(ctx context.Context) (points []point, err error) {
	bare, stop, err := startBare(ctx)
	if err != nil {
		return nil, err
	}
	points, err = p.measureCall(ctx, bare, nil)
	stop()
	if err != nil {
		return nil, err
	}
	s, err := startServer(ctx, p.Binary, filepath.Join(p.Dir, "data"))
	if err != nil {
		return nil, err
	}
	defer s.Kill()
	for _, c := range s.calls {
		more, err := p.measureCall(ctx, c, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		points = append(points, more...)
	}
	return points, nil
}

func (p plan) measureCall(ctx context.Context, c call, s *server) (points []point, err error) {
	for _, clients := range p.Clients {
		writing, err := s.writing(ctx)
		if err != nil {
			return nil, err
		}
		began, own := time.Now(), ownTime()
		sample, err := p.load(c, clients, p.Length).Run(ctx)
		if err != nil {
			return nil, err
		}
		own, took := ownTime()-own, time.Since(began)
		after, err := s.writing(ctx)
		if err != nil {
			return nil, err
		}
		points = append(points, point{
			Call: c.name, Durable: c.durable, Processors: p.Processors, Clients: clients, Rate: sample.Rate,
			P99: sample.P99, Server: sample.CPU, Writer: (after - writing) / took.Seconds(),
			// The generator counts no answers of the warm-up, which come as fast.
			Generator: time.Duration(float64(own) / (sample.Rate * (p.Warm + p.Length).Seconds())),
		})
	}
	return points, nil
}

func (p plan) load(c call, clients int, length time.Duration) drive.Load {
	return drive.Load{
		Address: c.address, PID: c.pid, Clients: clients, Warm: p.Warm, Length: length,
		Source: func(int) drive.Source { return drive.Constant(c.request) },
	}
}

// ownTime is what this process used of the processors.
func ownTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writing is how many seconds the writer of the database has worked; zero without a server.
func (s *server) writing(ctx context.Context) (float64, error) {
	if s == nil {
		return 0, nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	text, err := answer(r)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, `stoa_database_writer_seconds_total{engine="sqlite"} `); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("the metrics do not say how long the writer worked")
}

// merge keeps the best of the rounds: what else a machine does only takes.
func merge(all []point) (best []point) {
	for _, p := range all {
		at := slices.IndexFunc(best, func(b point) bool {
			return b.Call == p.Call && b.Processors == p.Processors && b.Clients == p.Clients
		})
		switch {
		case at < 0:
			best = append(best, p)
		case p.Rate > best[at].Rate:
			best[at] = p
		}
	}
	return best
}
