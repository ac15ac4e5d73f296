package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/test/bench/drive"
	"stoa.dev/stoa/test/program"
)

// processRows: how fast it starts and how little it keeps.
func processRows() []row {
	return []row{
		{name: "start to first 200, empty data folder", run: (*bench).firstStart, atMost: 300, unit: "ms"},
		{name: "start to first 200, second start", run: (*bench).secondStart, atMost: 150, unit: "ms"},
		{name: "idle resident memory", run: (*bench).idleMemory, atMost: 60, unit: "MB"},
	}
}

func (b *bench) firstStart(ctx context.Context) ([]result, error) {
	return b.starts(ctx, func(i int) string { return b.folder("start" + strconv.Itoa(i)) })
}

func (b *bench) secondStart(ctx context.Context) ([]result, error) {
	folder := b.folder("restart")
	if _, err := b.start(ctx, folder); err != nil {
		return nil, err
	}
	return b.starts(ctx, func(int) string { return folder })
}

// starts takes the median of several starts.
func (b *bench) starts(ctx context.Context, folder func(i int) string) ([]result, error) {
	var took []float64
	for i := range max(5, b.rounds) {
		d, err := b.start(ctx, folder(i))
		if err != nil {
			return nil, err
		}
		took = append(took, float64(d.Microseconds())/1000)
	}
	slices.Sort(took)
	return []result{{value: took[len(took)/2], judged: true}}, nil
}

// start measures from the moment before the process exists to the first 200.
// The address is chosen beforehand, so that the ready line is not part of it.
func (b *bench) start(ctx context.Context, folder string) (time.Duration, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return 0, err
	}
	answered := make(chan time.Time, 1)
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	go func() { answered <- firstOK(ctx, "http://"+address+"/readyz") }()
	p, err := program.Start(ctx, program.Options{
		Binary: b.binary, Data: folder, Listen: address, Env: []string{"STOA_LOG_LEVEL=error"},
	})
	if err != nil {
		return 0, err
	}
	at := <-answered
	if err := p.Stop(ctx); err != nil {
		return 0, err
	}
	if at.IsZero() {
		return 0, fmt.Errorf("no 200 from %s", address)
	}
	return at.Sub(began), nil
}

// firstOK asks every millisecond until the answer is 200.
func firstOK(ctx context.Context, url string) time.Time {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return time.Time{}
		}
		if response, err := client.Do(r); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return time.Now()
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return time.Time{}
		}
	}
}

// idleMemory reads the resident size two seconds after a few requests.
func (b *bench) idleMemory(ctx context.Context) ([]result, error) {
	o, err := b.startOurs(ctx, b.folder("memory"))
	if err != nil {
		return nil, err
	}
	defer o.close()
	for range 20 {
		if firstOK(ctx, o.URL+"/readyz").IsZero() {
			return nil, ctx.Err()
		}
	}
	time.Sleep(2 * time.Second)
	megabytes, err := drive.Resident(o.PID())
	if err != nil {
		return nil, err
	}
	return []result{{value: megabytes, judged: true}}, nil
}
