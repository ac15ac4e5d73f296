package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// source makes the requests of one connection. Next may depend on the last
// answer: a chain of refreshes does.
type source interface {
	// next returns the bytes of the next request.
	next() []byte
	// seen is given the body of a 2xx answer.
	seen(body []byte) error
}

// constant repeats one request.
type constant []byte

func (c constant) next() []byte      { return c }
func (c constant) seen([]byte) error { return nil }

// load is one measurement: clients connections that each send the next request
// when the last is answered.
type load struct {
	address string
	clients int
	warm    time.Duration
	length  time.Duration
	source  func(client int) source
	// status is the answer that counts; empty means any 2xx.
	status string
	// pid is the server's process where its processor time is wanted.
	pid int
}

// sample is what one round gave.
type sample struct {
	rate     float64 // answers per second
	p50, p99 time.Duration
	cpu      time.Duration // processor time of the server an answer; 0 is unknown
}

// run drives the server for warm plus length and measures the second part.
func (l load) run(ctx context.Context) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, l.warm+l.length+30*time.Second)
	defer cancel()
	var (
		group   sync.WaitGroup
		latency = make([][]time.Duration, l.clients)
		failed  = make([]error, l.clients)
	)
	begin := time.Now().Add(l.warm)
	end := begin.Add(l.length)
	for i := range l.clients {
		group.Go(func() { latency[i], failed[i] = l.client(ctx, l.source(i), begin, end) })
	}
	var used time.Duration
	group.Go(func() { used = processorTime(l.pid, begin, end) })
	group.Wait()
	if err := errors.Join(failed...); err != nil {
		return sample{}, err
	}
	s := summarize(slices.Concat(latency...), l.length)
	if answers := s.rate * l.length.Seconds(); answers > 0 {
		s.cpu = time.Duration(float64(used) / answers)
	}
	return s, nil
}

func summarize(all []time.Duration, length time.Duration) sample {
	slices.Sort(all)
	if len(all) == 0 {
		return sample{}
	}
	return sample{
		rate: float64(len(all)) / length.Seconds(),
		p50:  all[len(all)/2],
		p99:  all[min(len(all)-1, len(all)*99/100)],
	}
}

// client is one connection's loop.
func (l load) client(ctx context.Context, from source, begin, end time.Time) ([]time.Duration, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	answers := bufio.NewReaderSize(conn, 16<<10)
	var latency []time.Duration
	var body []byte
	for {
		start := time.Now()
		if start.After(end) {
			return latency, nil
		}
		if _, err := conn.Write(from.next()); err != nil {
			return nil, err
		}
		if body, err = readAnswer(answers, body[:0], l.status); err != nil {
			return nil, err
		}
		if done := time.Now(); start.After(begin) && done.Before(end) {
			latency = append(latency, done.Sub(start))
		}
		if err := from.seen(body); err != nil {
			return nil, err
		}
	}
}

// readAnswer reads one answer with a Content-Length into body. Anything but the
// wanted status, a 2xx when none is named, is an error: a fast refusal must not
// look like speed.
func readAnswer(r *bufio.Reader, body []byte, wanted string) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < 12 {
		return nil, fmt.Errorf("no status line: %q", line)
	}
	status := string(line[9:12])
	length := -1
	for {
		line, err = r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) <= 2 {
			break
		}
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return nil, err
			}
		}
	}
	if status == "304" {
		length = 0 // it has no body, whatever it says of the one left out
	}
	if length < 0 {
		return nil, errors.New("the answer has no Content-Length")
	}
	body = slices.Grow(body, length)[:length]
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	if status != wanted && (wanted != "" || status[0] != '2') {
		return nil, fmt.Errorf("status %s: %s", status, body)
	}
	return body, nil
}
