package drive

import (
	"bufio"
	"cmp"
	"context"
	"net"
	"slices"
	"sync"
	"time"
)

// Source makes the requests of one connection. Next may depend on the last
// answer: a chain of refreshes does.
type Source interface {
	// Next returns the bytes of the next request.
	Next() []byte
	// Seen is given the body of an answer that counts.
	Seen(body []byte) error
}

// Constant repeats one request.
type Constant []byte

// Next is the request.
func (c Constant) Next() []byte { return c }

// Seen looks at nothing.
func (c Constant) Seen([]byte) error { return nil }

// Load is one measurement: clients connections that each send the next request
// when the last is answered.
type Load struct {
	Address string
	Clients int
	Warm    time.Duration
	Length  time.Duration
	Source  func(client int) Source
	// Status is the answer that counts; empty means any 2xx.
	Status string
	// PID is the server's process where its processor time is wanted.
	PID int
	// Costs asks for what each answer cost beside the processor's time.
	Costs bool
}

// Sample is what one round gave.
type Sample struct {
	Rate     float64 // answers per second
	P50, P99 time.Duration
	CPU      time.Duration // processor time of the server an answer; 0 is unknown
	Costs    Costs         // where they were asked for
}

// Run drives the server for warm plus length and measures the second part.
func (l Load) Run(ctx context.Context) (Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Warm+l.Length+30*time.Second)
	defer cancel()
	var (
		group   sync.WaitGroup
		latency = make([][]time.Duration, l.Clients)
		failed  = make([]error, l.Clients)
	)
	begin := time.Now().Add(l.Warm)
	end := begin.Add(l.Length)
	for i := range l.Clients {
		group.Go(func() { latency[i], failed[i] = l.client(ctx, l.Source(i), begin, end) })
	}
	var used time.Duration
	group.Go(func() { used = processorTime(l.PID, begin, end) })
	var spent counters
	var unknown error
	if l.Costs {
		group.Go(func() { spent, unknown = l.costs(ctx, begin, end) })
	}
	group.Wait()
	if err := cmp.Or(append(failed, unknown)...); err != nil { // all clients fail alike
		return Sample{}, err
	}
	s := Summarize(slices.Concat(latency...), l.Length)
	s.spread(used, l.Length)
	s.Costs = spent.share(s.Rate * l.Length.Seconds())
	return s, nil
}

// spread is what each answer used of the processor time of all.
func (s *Sample) spread(used, length time.Duration) {
	if answers := s.Rate * length.Seconds(); answers > 0 {
		s.CPU = time.Duration(float64(used) / answers)
	}
}

// Summarize sorts all and takes the rate and the percentiles from it.
func Summarize(all []time.Duration, length time.Duration) Sample {
	slices.Sort(all)
	if len(all) == 0 {
		return Sample{}
	}
	return Sample{
		Rate: float64(len(all)) / length.Seconds(),
		P50:  all[len(all)/2],
		P99:  all[min(len(all)-1, len(all)*99/100)],
	}
}

// client is one connection's loop.
func (l Load) client(ctx context.Context, from Source, begin, end time.Time) ([]time.Duration, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.Address)
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
		if _, err := conn.Write(from.Next()); err != nil {
			return nil, err
		}
		if body, err = readAnswer(answers, body[:0], l.Status); err != nil {
			return nil, err
		}
		if done := time.Now(); start.After(begin) && done.Before(end) {
			latency = append(latency, done.Sub(start))
		}
		if err := from.Seen(body); err != nil {
			return nil, err
		}
	}
}
