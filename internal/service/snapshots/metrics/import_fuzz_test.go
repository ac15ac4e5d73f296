//go:build !small

package metrics

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// imports holds what a reader gives against what the store takes.
func imports(t *testing.T, text []byte, read func(Take) error) {
	t.Helper()
	lines := bytes.Count(text, []byte("\n")) + 1
	taken := 0
	err := read(func(s Series, m query.Meta) error {
		taken++
		if s.Metric == "" || len(s.Metric) > MaxMetric || len(s.Tags) > MaxTags || len(s.Samples) != 1 {
			t.Fatalf("took %+v", s)
		}
		if p := s.Samples[0]; !sane(p.Ms) || math.IsNaN(p.Value) {
			t.Fatalf("took the point %+v", p)
		}
		if m.Interval < 0 || len(m.Unit) > MaxUnit {
			t.Fatalf("took %+v", m)
		}
		return nil
	})
	if taken > lines {
		t.Fatalf("%d lines gave %d points", lines, taken)
	}
	if err != nil && !regexp.MustCompile(`line \d+`).MatchString(err.Error()) {
		t.Fatalf("the refusal names no line: %v", err)
	}
	// What is refused by the taker names the line that it came from.
	stop := errors.New("stop")
	if err := read(func(Series, query.Meta) error { return stop }); taken > 0 && !errors.Is(err, stop) {
		t.Fatalf("the first point was refused, and the reader says %v", err)
	}
}

func FuzzImportCSV(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte("metric,timestamp,value,type,interval,unit,host,tags\n"+
			"web.hits,60,600,count,60,request,a,\"env:prod;zone:x\"\n"),
		[]byte("\ufeffMetric, Timestamp ,VALUE\r\nm,2026-11-01T00:00:00Z,1e3\r\nm,1.5,-0\r\n"),
		[]byte("metric,timestamp,value\nm,1e300,1\nm,-1,1\nm,NaN,1\n"), []byte("metric,timestamp,value\nm,1,\"2\n"),
		[]byte("metric,timestamp,value,interval\nm,1,1,-5\n"), []byte("metric,timestamp,value,\nm,1,1,x\n"),
		[]byte("metric,timestamp,value,value\nm,1,1,2\n"), []byte("metric,timestamp,value\n"+strings.Repeat("m,1,1\n", 50)),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		imports(t, text, func(take Take) error { return ReadCSV(bytes.NewReader(text), take) })
	})
}

func FuzzImportOpenMetrics(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte("# TYPE up gauge\n# UNIT mem_bytes bytes\nmem_bytes{host=\"a\"} 1024 60\nup 1 61.5\n# EOF\n"),
		[]byte("# HELP x \\n\n# TYPE x histogram\nx_bucket{le=\"+Inf\"} 1 5 # {trace=\"a\"} 1 5\nx_count 1 5\nx_sum 1 5\n"),
		[]byte("x{a=\"\\\"\",b=\"\xff\"} NaN 5\nx +Inf 5\nx 1 1e300\nx 1 -5\n"), []byte("{\"quoted.name\",a=\"b\"} 1 5\n"),
		[]byte("up 1\n"), []byte("up{host=\"a} 1 5\n"), []byte("# EOF\n# EOF\n\n\nup 1 5\n"), []byte("# a comment\nup 1 5\n"),
		[]byte(strings.Repeat("up 1 5\n", 50)),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		imports(t, text, func(take Take) error { return ReadOpenMetrics(bytes.NewReader(text), take) })
	})
}

// A bad line is named, also far into a file, and a quote that is left open does not
// take in the rest of it.
func TestImportNamesTheLine(t *testing.T) {
	t.Parallel()
	take := func(Series, query.Meta) error { return nil }
	good := strings.Repeat("# TYPE up gauge\n\nup 1 5\n", 1000)
	if err := ReadOpenMetrics(strings.NewReader(good+"up one 5\n"+good), take); err == nil ||
		!strings.HasPrefix(err.Error(), "line 3001: ") {
		t.Errorf("a bad value in line 3001 gives %v", err)
	}
	if err := ReadOpenMetrics(strings.NewReader("up 1 5\n"+strings.Repeat("x", maxLine+1)), take); err == nil ||
		!strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("a line that is too long gives %v", err)
	}
	head := "metric,timestamp,value\n"
	if err := ReadCSV(strings.NewReader(head+"m,1,\""+strings.Repeat("x", 4*maxRow)), take); !errors.Is(err, errLongRow) {
		t.Errorf("an open quote gives %v", err)
	}
	if err := ReadCSV(strings.NewReader(head+strings.Repeat("m,1,1\n", maxRow/4)), take); err != nil {
		t.Errorf("many rows give %v", err)
	}
}
