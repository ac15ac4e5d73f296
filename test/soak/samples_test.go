package soak_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/test/program"
)

// sample is what the process holds at one moment.
type sample struct {
	resident, heap, log  float64 // megabytes; log is the write-ahead log
	descriptors, threads float64
	goroutines           float64
	caches               float64 // megabytes, part of neither heap nor resident
	inUse                float64 // the heap in a pause, after a collection
}

// look takes a sample. The heap is what the last collection left: half of where the next
// begins, which does not move between two collections. Pages of files that are mapped are
// not counted as resident: they grow with what is stored, and the system takes them back.
// What caches hold is bounded for each of them and not counted, so that one which fills
// slowly is not taken for a leak. What the runtime has lent back to the system is: how much
// that is changes for hours with the moments of its collections, while what it has taken in all stands still.
func (m *mixed) look(ctx context.Context) (s sample, err error) {
	if s.resident, err = procStatus(m.process.PID(), "RssAnon:"); err != nil {
		return s, err
	}
	if s.threads, err = procStatus(m.process.PID(), "Threads:"); err != nil {
		return s, err
	}
	s.resident /= 1 << 10
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", m.process.PID()))
	if err != nil {
		return s, err
	}
	s.descriptors = float64(len(files))
	if info, err := os.Stat(filepath.Join(m.data, "stoa.db-wal")); err == nil {
		s.log = float64(info.Size()) / (1 << 20)
	}
	values, err := m.metrics(ctx, "go_goroutines", "go_memstats_next_gc_bytes", "go_memstats_heap_released_bytes",
		"stoa_cache_bytes")
	s.goroutines, s.heap = values["go_goroutines"], values["go_memstats_next_gc_bytes"]/2/(1<<20)
	s.resident += values["go_memstats_heap_released_bytes"] / (1 << 20)
	s.caches = values["stoa_cache_bytes"] / (1 << 20)
	s.heap, s.resident = s.heap-s.caches, s.resident-s.caches
	return s, err
}

// rest looks at the process while nothing is under way, after a collection: what moves then is what stays.
func (m *mixed) rest(ctx context.Context) (sample, error) {
	if err := clock.Sleep(ctx, clock.Real(), 300*time.Millisecond); err != nil {
		return sample{}, err
	}
	m.rests++
	file := filepath.Join(m.profiles, strconv.Itoa(m.rests))
	collect := exec.CommandContext(ctx, m.binary, "profile", "heap", file, "--data", m.data)
	collect.Env = program.Environ()
	if out, err := collect.CombinedOutput(); err != nil {
		return sample{}, fmt.Errorf("stoa profile heap: %w: %s", err, out)
	}
	return m.look(ctx)
}

// procStatus is one number of /proc/PID/status.
func procStatus(pid int, name string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strconv.ParseFloat(strings.Fields(rest)[0], 64)
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, name)
}

// processorTime is what the process has used, in seconds.
func processorTime(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name in brackets may hold blanks; the fields that follow it count from the third.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const user, system, ticks = 14 - 3, 15 - 3, 100
	sum := 0.0
	for _, i := range []int{user, system} {
		n, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return 0, err
		}
		sum += n / ticks
	}
	return sum, nil
}

// metrics are some of those that the server publishes, summed over their labels.
func (m *mixed) metrics(ctx context.Context, names ...string) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.process.URL+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := m.watcher.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	values := map[string]float64{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		series, value, _ := strings.Cut(lines.Text(), " ")
		name, _, _ := strings.Cut(series, "{")
		if !slices.Contains(names, name) {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, err
		}
		values[name] += n
	}
	if len(values) != len(names) {
		return nil, fmt.Errorf("the metrics %v: got %v", names, values)
	}
	return values, lines.Err()
}

// block is a part of the run: the middle of its samples, and how long calls took.
type block struct {
	sample
	p50, p99, bare time.Duration
	calls          int
	processor      float64 // seconds, of all threads
}

// middle is the median of one number of the samples.
func middle(samples []sample, number func(sample) float64) float64 {
	values := make([]float64, 0, len(samples))
	for _, s := range samples {
		values = append(values, number(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func blockOf(samples []sample, calls, bare []time.Duration) block {
	slices.Sort(calls)
	slices.Sort(bare)
	return block{
		sample: sample{
			resident:    middle(samples, func(s sample) float64 { return s.resident }),
			heap:        middle(samples, func(s sample) float64 { return s.heap }),
			log:         middle(samples, func(s sample) float64 { return s.log }),
			descriptors: middle(samples, func(s sample) float64 { return s.descriptors }),
			threads:     middle(samples, func(s sample) float64 { return s.threads }),
			goroutines:  middle(samples, func(s sample) float64 { return s.goroutines }),
			caches:      middle(samples, func(s sample) float64 { return s.caches }),
		},
		p50: percentile(calls, .5), p99: percentile(calls, .99), bare: percentile(bare, .99), calls: len(calls),
	}
}

// percentile is one of sorted durations; a microsecond when there are none, since it is
// divided by.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return time.Microsecond
	}
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*p))]
}

func (b block) String() string {
	return fmt.Sprintf("%6.1f MB resident, %5.1f MB heap, %6.2f MB in use, %5.1f MB caches, %5.1f MB log, "+
		"%3.0f descriptors, %3.0f goroutines, %2.0f threads; %d calls, p50 %s, p99 %s, bare p99 %s",
		b.resident, b.heap, b.inUse, b.caches, b.log, b.descriptors, b.goroutines, b.threads, b.calls,
		b.p50.Round(10*time.Microsecond), b.p99.Round(10*time.Microsecond), b.bare.Round(10*time.Microsecond))
}
