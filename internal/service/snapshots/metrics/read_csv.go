package metrics

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Take takes in one series of a file and what is known about its metric.
type Take func(Series, query.Meta) error

// ReadCSV reads a table of points. Its first line names the columns: metric,
// timestamp (seconds or RFC 3339) and value, and if wished type, interval, unit
// and tags, a list with commas or semicolons. Every other column is a tag.
func ReadCSV(r io.Reader, take Take) error {
	limited := &rowLimit{r: r}
	in := csv.NewReader(limited)
	in.ReuseRecord, in.TrimLeadingSpace = true, true
	head, err := limited.next(in)
	if err != nil {
		return fmt.Errorf("line 1: %w", err)
	}
	columns, err := readHead(head)
	if err != nil {
		return fmt.Errorf("line 1: %w", err)
	}
	for line := 1; ; {
		row, err := limited.next(in)
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
			return err // names the line
		case err != nil:
			return fmt.Errorf("after line %d: %w", line, err)
		}
		line, _ = in.FieldPos(0)
		s, m, err := readRow(columns, row)
		if err == nil {
			err = take(s, m)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// readHead reads the names of the columns.
func readHead(head []string) ([]string, error) {
	columns := make([]string, len(head))
	for i, name := range head {
		columns[i] = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		if columns[i] == "" {
			return nil, fmt.Errorf("column %d has no name", i+1)
		}
		if slices.Contains(columns[:i], columns[i]) {
			return nil, fmt.Errorf("there are two columns %.100q", columns[i])
		}
	}
	for _, needed := range []string{"metric", "timestamp", "value"} {
		if !slices.Contains(columns, needed) {
			return nil, fmt.Errorf("there is no column %s", needed)
		}
	}
	return columns, nil
}

// rowLimit bounds what is read for one row: a quote that is never closed would
// take in the rest of the file.
type rowLimit struct {
	r    io.Reader
	left int
}

var errLongRow = errors.New("a row of more than a megabyte; is a quote not closed?")

// maxRow bounds a row with what the reader takes ahead of it.
const maxRow = 1 << 20

func (l *rowLimit) next(in *csv.Reader) ([]string, error) {
	l.left = maxRow
	return in.Read()
}

func (l *rowLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRow
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}

func readRow(columns, row []string) (s Series, m query.Meta, err error) {
	var p Sample
	var tags []string
	m.Type = query.Gauge
	for i, name := range columns {
		v := strings.TrimSpace(row[i])
		var bad error
		switch name {
		case "metric":
			if s.Metric = v; !ValidMetric(v) {
				bad = fmt.Errorf("%.100q is not the name of a metric", v)
			}
		case "timestamp":
			p.Ms, bad = parseTime(v)
		case "value":
			if p.Value, bad = strconv.ParseFloat(v, 64); bad == nil && (math.IsNaN(p.Value) || math.IsInf(p.Value, 0)) {
				bad = fmt.Errorf("%q is not a finite number", v)
			}
		case "type":
			m.Type, bad = parseType(v)
		case "interval":
			if v != "" {
				var seconds uint64
				seconds, bad = strconv.ParseUint(v, 10, 31)
				if m.Interval = int64(seconds); bad == nil && m.Interval >= query.MaxInterval {
					bad = fmt.Errorf("an interval of more than %d seconds", query.MaxInterval-1)
				}
			}
		case "unit":
			if m.Unit = v; len(v) > MaxUnit {
				bad = fmt.Errorf("a unit of more than %d bytes", MaxUnit)
			}
		case "tags":
			tags = append(tags, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ';' })...)
		default:
			if v != "" {
				tags = append(tags, name+":"+v)
			}
		}
		err = errors.Join(err, bad)
	}
	if len(tags) > MaxTags {
		err = errors.Join(err, fmt.Errorf("more than %d tags", MaxTags))
	}
	s.Tags, s.Samples = Normalize(tags), []Sample{p}
	return s, m, err
}

func parseType(v string) (query.MetricType, error) {
	switch t := query.MetricType(v); t {
	case query.Unspecified:
		return query.Gauge, nil
	case query.Gauge, query.Count, query.Rate:
		return t, nil
	default:
		return "", fmt.Errorf("the type %.100q is none of gauge, count and rate", v)
	}
}

// parseTime reads seconds or a date.
func parseTime(v string) (int64, error) {
	if seconds, err := strconv.ParseFloat(v, 64); err == nil {
		if ms := math.Round(seconds * 1000); ms >= 0 && ms < 253402300800000 {
			return int64(ms), nil
		}
	} else if at, err := time.Parse(time.RFC3339, v); err == nil && sane(at.UnixMilli()) {
		return at.UnixMilli(), nil
	}
	return 0, fmt.Errorf("the time %.100q is neither POSIX seconds nor RFC 3339", v)
}
