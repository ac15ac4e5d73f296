package drive

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Costs is what a server spent on each answer, beside the time of a processor.
type Costs struct {
	Allocations, AllocatedBytes float64 // of its heap
	Commits                     float64 // each is one flush of SQLite's log
	WrittenBytes                float64 // given to the disk, as Linux counts them
}

// counters are the sums that a server shows since it began.
type counters [4]float64

// costs are read at both moments, each answer's share is made by the caller.
func (l Load) costs(ctx context.Context, begin, end time.Time) (spent counters, err error) {
	time.Sleep(time.Until(begin))
	before, err := l.counters(ctx)
	if err != nil {
		return spent, err
	}
	time.Sleep(time.Until(end))
	after, err := l.counters(ctx)
	for i := range spent {
		spent[i] = after[i] - before[i]
	}
	return spent, err
}

func (l Load) counters(ctx context.Context) (c counters, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Address+"/metrics", nil)
	if err != nil {
		return c, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return c, err
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		name, _, _ = strings.Cut(name, "{")
		at, ok := map[string]int{
			"go_memstats_mallocs_total": 0, "go_memstats_alloc_bytes_total": 1, "stoa_database_commits_total": 2,
		}[name]
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return c, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		c[at] += n
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", l.PID))
	if err != nil {
		return c, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "write_bytes: "); ok {
			c[3], err = strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return c, err
}

// share is the costs of one of so many answers.
func (c counters) share(answers float64) Costs {
	if answers == 0 {
		return Costs{}
	}
	return Costs{c[0] / answers, c[1] / answers, c[2] / answers, c[3] / answers}
}
