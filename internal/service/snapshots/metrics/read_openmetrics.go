//go:build !small

package metrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// openMetricsLines is how many lines are parsed at once.
const openMetricsLines = 2_000

// maxLine is the longest line of a file.
const maxLine = 64 << 10

// ReadOpenMetrics reads OpenMetrics text, line by line. Each value needs a time:
// without one it is not known when it was true.
func ReadOpenMetrics(r io.Reader, take Take) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	units, number := map[string]string{}, 0
	for more := true; more; {
		var part bytes.Buffer
		var numbers []int
		for range openMetricsLines {
			if more = lines.Scan(); !more {
				break
			}
			number++
			if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && !bytes.Equal(line, []byte("# EOF")) {
				part.Write(line)
				part.WriteByte('\n')
				numbers = append(numbers, number)
			}
		}
		part.WriteString("# EOF\n")
		if n, err := readOpenMetrics(part.Bytes(), units, take); err != nil {
			return fmt.Errorf("line %d: %w", numbers[min(n, len(numbers)-1)], err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}

// readOpenMetrics parses whole lines, each of which is one entry, and counts those
// that are good; units are those that were named so far.
func readOpenMetrics(b []byte, units map[string]string, take Take) (good int, err error) {
	p := textparse.NewOpenMetricsParser(b, labels.NewSymbolTable())
	for ; ; good++ {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return good, nil
		}
		if err != nil {
			return good, err
		}
		switch entry {
		case textparse.EntryUnit:
			name, unit := p.Unit()
			if len(units) < MaxSubmitted && len(unit) <= MaxUnit {
				units[string(name)] = unitWord(string(unit))
			}
		case textparse.EntrySeries:
			if err := takeEntry(p, units, take); err != nil {
				return good, err
			}
		default: // says nothing about points
		}
	}
}

func takeEntry(p textparse.Parser, units map[string]string, take Take) error {
	text, at, v := p.Series()
	if at == nil {
		return fmt.Errorf("%.100s has no time", text)
	}
	if math.IsNaN(v) {
		return nil // a mark of staleness
	}
	var set labels.Labels
	p.Labels(&set)
	s := Series{Metric: set.Get(nameLabel), Samples: []Sample{{Ms: *at, Value: v}}}
	set.Range(func(l labels.Label) {
		if l.Name != nameLabel && l.Value != "" {
			s.Tags = append(s.Tags, l.Name+":"+clean(l.Value))
		}
	})
	if s.Metric == "" || len(s.Metric) > MaxMetric || len(s.Tags) > MaxTags || !sane(*at) {
		return fmt.Errorf("%.100s: a series has a name of at most %d characters, at most %d labels and a time", text,
			MaxMetric, MaxTags)
	}
	slices.Sort(s.Tags)
	return take(s, query.Meta{Type: query.Gauge, Unit: units[s.Metric]})
}

// unitWord is the singular that axes know.
func unitWord(u string) string {
	switch u {
	case "bytes", "seconds", "bits", "ratios", "percents", "requests":
		return u[:len(u)-1]
	case "ratio":
		return "fraction"
	default:
		return u
	}
}
