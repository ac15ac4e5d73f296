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

// Take takes in one series of a file and what is known about its metric.
type Take func(Series, query.Meta) error

// openMetricsLines is how many lines are parsed at once.
const openMetricsLines = 2_000

// maxLine is the longest line of a file.
const maxLine = 64 << 10

// ReadOpenMetrics reads OpenMetrics or Prometheus text, line by line. Each value
// needs a time: without one it is not known when it was true.
func ReadOpenMetrics(r io.Reader, take Take) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	units, number := map[string]string{}, 0
	for more := true; more; {
		var part bytes.Buffer
		first := number + 1
		for range openMetricsLines {
			if more = lines.Scan(); !more {
				break
			}
			number++
			if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && !bytes.Equal(line, []byte("# EOF")) {
				part.Write(line)
				part.WriteByte('\n')
			}
		}
		part.WriteString("# EOF\n")
		if err := readOpenMetrics(part.Bytes(), units, take); err != nil {
			return fmt.Errorf("lines %d to %d: %w", first, number, err)
		}
	}
	return lines.Err()
}

// readOpenMetrics parses whole lines; units are those that were named so far.
func readOpenMetrics(b []byte, units map[string]string, take Take) error {
	p := textparse.NewOpenMetricsParser(b, labels.NewSymbolTable())
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch entry {
		case textparse.EntryUnit:
			name, unit := p.Unit()
			if len(units) < MaxSubmitted && len(unit) <= MaxUnit {
				units[string(name)] = unitWord(string(unit))
			}
		case textparse.EntrySeries:
			if err := takeEntry(p, units, take); err != nil {
				return err
			}
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
