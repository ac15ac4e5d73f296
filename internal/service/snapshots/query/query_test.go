package query_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// tags is a fixed tag set.
type tags map[string][]string

func (t tags) Values(key string) []string { return t[key] }

// stored is one series of the fake source: a value per second offset.
type stored struct {
	tags   tags
	points map[int64]float64
	sketch map[int64]*query.Sketch
}

// memory is a source that lives in a map; it is the outside world of the
// evaluator and nothing of what is under test.
type memory struct {
	meta   query.Meta
	series []stored
}

func (m memory) Meta(context.Context, string) (query.Meta, error) { return m.meta, nil }

func (m memory) Select(_ context.Context, s query.Selection, each func(query.Tags, query.Samples) error) error {
	for _, st := range m.series {
		if !s.Scope.Match(st.tags) {
			continue
		}
		w := &walk{}
		for sec := s.From / 1000; sec*1000 < s.To; sec++ {
			if v, ok := st.points[sec]; ok {
				w.at, w.v, w.sk = append(w.at, sec*1000), append(w.v, v), append(w.sk, nil)
			}
			if sk := st.sketch[sec]; sk != nil {
				w.at, w.v, w.sk = append(w.at, sec*1000), append(w.v, 0), append(w.sk, sk)
			}
		}
		if err := each(st.tags, w); err != nil {
			return err
		}
	}
	return nil
}

type walk struct {
	at []int64
	v  []float64
	sk []*query.Sketch
	i  int
}

func (w *walk) Next() bool            { w.i++; return w.i <= len(w.at) }
func (w *walk) At() (int64, float64)  { return w.at[w.i-1], w.v[w.i-1] }
func (w *walk) Sketch() *query.Sketch { return w.sk[w.i-1] }
func (w *walk) Err() error            { return nil }

func series(t tags, points ...float64) stored {
	s := stored{tags: t, points: map[int64]float64{}}
	for i, v := range points {
		if !math.IsNaN(v) {
			s.points[int64(i)*10] = v
		}
	}
	return s
}

// show writes results as "scope=v v v" lines, gaps as a dash.
func show(list []query.Series) string {
	var lines []string
	for _, s := range list {
		var b strings.Builder
		b.WriteString(s.Scope + "=")
		for i, v := range s.Values {
			if i > 0 {
				b.WriteByte(' ')
			}
			if math.IsNaN(v) {
				b.WriteByte('-')
			} else {
				fmt.Fprintf(&b, "%.4g", v)
			}
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	web1 := series(tags{"host": {"web-1"}, "env": {"prod"}, "canary": {""}}, 1, 2, 3, 4, 5, 6)
	web2 := series(tags{"host": {"web-2"}, "env": {"prod"}}, 10, 20, 30, 40, 50, 60)
	db := series(tags{"host": {"db-1"}, "env": {"dev"}}, 7, nan, 7, nan, nan, 7)
	plain := memory{series: []stored{web1, web2, db}}
	counts := memory{meta: query.Meta{Type: query.Count, Interval: 10}, series: []stored{web1, web2}}
	rates := memory{meta: query.Meta{Type: query.Rate, Interval: 10}, series: []stored{web1}}
	alone := memory{series: []stored{db}}
	counter := memory{series: []stored{series(tags{}, 5, 10, 20, 2, 4, 4)}}
	for _, c := range []struct {
		name, query string
		source      memory
		want        string
	}{
		{"average is the default", "m{env:prod}", plain, "env:prod=5.5 11 16.5 22 27.5 33"},
		{"sum", "sum:m{env:prod}", plain, "env:prod=11 22 33 44 55 66"},
		{"everything, holes interpolated", "sum:m{*}", plain, "*=18 29 40 51 62 73"},
		{"one source is not interpolated", "sum:m{*}", alone, "*=7 - 7 - - 7"},
		{"fill with the last value", "sum:m{*}.fill(last)", alone, "*=7 7 7 7 7 7"},
		{"fill with zero", "sum:m{*}.fill(zero)", alone, "*=7 0 7 0 0 7"},
		{"fill up to a limit", "sum:m{*}.fill(linear, 20)", alone, "*=7 7 7 - - 7"},
		{"null leaves holes", "count:m{*}.fill(null)", plain, "*=3 2 3 2 2 3"},
		{"groups", "max:m{*} by {env}", plain, "env:dev=7 7 7 7 7 7\nenv:prod=10 20 30 40 50 60"},
		{"missing tag is named", "max:m{env:dev} by {rack}", plain, "rack:N/A,env:dev=7 - 7 - - 7"},
		{"wildcard", "sum:m{host:web-*}", plain, "host:web-*=11 22 33 44 55 66"},
		{"negation", "sum:m{!host:web-*}", plain, "!host:web-*=7 - 7 - - 7"},
		{"bare tag", "sum:m{canary}", plain, "canary=1 2 3 4 5 6"},
		{
			"words", "sum:m{(host:web-1 OR host:db-1) AND NOT env:dev}", plain,
			"(host:web-1 OR host:db-1) AND NOT env:dev=1 2 3 4 5 6",
		},
		{"in", "sum:m{host IN (web-1, db-1) and env:prod}", plain, "host IN (web-1, db-1) and env:prod=1 2 3 4 5 6"},
		{"not in", "sum:m{host NOT IN (web-2, db-*)}", plain, "host NOT IN (web-2, db-*)=1 2 3 4 5 6"},
		{"template variable", "sum:m{$host,env:dev}", plain, "$host,env:dev=7 - 7 - - 7"},
		{"rollup", "sum:m{env:prod}.rollup(max, 20)", plain, "env:prod=22 44 66"},
		{"rollup by seconds", "sum:m{env:prod}.rollup(30)", plain, "env:prod=22 55"},
		{"counts are summed", "sum:m{*}.rollup(30)", counts, "*=66 165"},
		{"as rate", "sum:m{*}.as_rate().rollup(sum, 20)", counts, "*=1.65 3.85 6.05"},
		{"a rate as count", "sum:m{*}.as_count()", rates, "*=10 20 30 40 50 60"},
		{"arithmetic", "(m{host:web-2} - m{host:web-1}) * 2 / 4 + 1", plain, "host:web-2=5.5 10 14.5 19 23.5 28"},
		{"minus", "-m{host:web-1}", plain, "host:web-1=-1 -2 -3 -4 -5 -6"},
		{"division by zero is a gap", "m{host:web-1} / (m{host:web-1} - 3)", plain, "host:web-1=-0.5 -2 - 4 2.5 2"},
		{
			"groups meet their like", "sum:m{*} by {host} / sum:m{*} by {host}", plain,
			"host:db-1=1 1 1 1 1 1\nhost:web-1=1 1 1 1 1 1\nhost:web-2=1 1 1 1 1 1",
		},
		{
			"groups meet a total", "sum:m{env:prod} by {host} / sum:m{env:prod}", plain,
			"host:web-1,env:prod=0.09091 0.09091 0.09091 0.09091 0.09091 0.09091\nhost:web-2,env:prod=0.9091 0.9091 " +
				"0.9091 0.9091 0.9091 0.9091",
		},
		{
			"two expressions", "m{host:web-1}, m{host:web-2}", plain,
			"host:web-1=1 2 3 4 5 6\nhost:web-2=10 20 30 40 50 60",
		},
		{"a number", "3 * 2", plain, "*=6 6 6 6 6 6"},
		{"abs", "abs(m{host:web-1} - 3)", plain, "host:web-1=2 1 0 1 2 3"},
		{"clamp", "clamp_max(clamp_min(m{host:web-1}, 2), 5)", plain, "host:web-1=2 2 3 4 5 5"},
		{"cutoff keeps equal values", "cutoff_max(cutoff_min(m{host:web-1}, 2), 5)", plain, "host:web-1=- 2 3 4 5 -"},
		{"default zero", "default_zero(m{host:db-1})", plain, "host:db-1=7 0 7 0 0 7"},
		{"diff", "diff(m{host:web-2})", plain, "host:web-2=- 10 10 10 10 10"},
		{"derivative", "derivative(m{host:web-2})", plain, "host:web-2=- 1 1 1 1 1"},
		{"a counter that starts again", "per_second(m{*})", counter, "*=- 0.5 1 - 0.2 0"},
		{"cumsum", "cumsum(m{host:web-1})", plain, "host:web-1=1 3 6 10 15 21"},
		{"integral", "integral(m{host:web-1})", plain, "host:web-1=10 30 60 100 150 210"},
		{"log2", "log2(m{host:web-1} - 2)", plain, "host:web-1=- - 0 1 1.585 2"},
		{"count nonzero", "count_nonzero(m{*} by {host} - 3)", plain, "*=3 3 2 3 3 3"},
		{"exclude null", "exclude_null(sum:m{*} by {rack})", plain, ""},
		{"top", "top(m{*} by {host}, 1, 'mean', 'desc')", plain, "host:web-2=10 20 30 40 50 60"},
		{
			"bottom shorthand", "bottom5_max(m{*} by {host})", plain,
			"host:web-1=1 2 3 4 5 6\nhost:db-1=7 7 7 7 7 7\nhost:web-2=10 20 30 40 50 60",
		},
		{"top with offset", "top_offset(m{*} by {host}, 1, 'last', 'asc', 1)", plain, "host:db-1=7 7 7 7 7 7"},
		{"median", "median_3(m{*})", counter, "*=5 7.5 10 10 4 4"},
		{"moving rollup", "moving_rollup(m{host:web-1}, 20, 'sum')", plain, "host:web-1=1 3 5 7 9 11"},
		{"trend", "trend_line(m{host:web-2})", plain, "host:web-2=10 20 30 40 50 60"},
		{"robust trend", "robust_trend(m{host:web-2})", plain, "host:web-2=10 20 30 40 50 60"},
		{"ewma", "ewma_3(m{host:web-1})", plain, "host:web-1=1 1.5 2.25 3.125 4.062 5.031"},
		{"timeshift", "timeshift(m{host:web-1}, -20)", plain, "host:web-1=- - 1 2 3 4"},
		{
			"piecewise", "piecewise_constant(m{*})", memory{series: []stored{series(tags{}, 1, 1, 1, 9, 9, 9)}},
			"*=1 1 1 9 9 9",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := query.Parse(c.query)
			if err != nil {
				t.Fatal(err)
			}
			e := query.Evaluator{Source: c.source, Limits: query.DefaultLimits()}
			got, err := e.Run(t.Context(), q, query.Range{From: 0, To: 60, Interval: 10})
			if err != nil {
				t.Fatal(err)
			}
			if s := show(got); s != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.query, s, c.want)
			}
		})
	}
}

func TestDistributions(t *testing.T) {
	t.Parallel()
	a, b := query.NewSketch(), query.NewSketch()
	for i := 1; i <= 100; i++ {
		a.Add(float64(i))
	}
	b.Add(-5)
	b.Add(0)
	src := memory{meta: query.Meta{Type: query.DistribType}, series: []stored{
		{tags: tags{"host": {"a"}}, sketch: map[int64]*query.Sketch{0: a}},
		{tags: tags{"host": {"b"}}, sketch: map[int64]*query.Sketch{0: b}},
	}}
	for text, want := range map[string]float64{
		"p50:m{host:a}": 50, "p99:m{host:a}": 99, "count:m{*}": 102, "sum:m{*}": 5045, "avg:m{host:a}": 50.5,
		"max:m{*}": 100, "min:m{*}": -5, "p50:m{host:b}": -5,
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		e := query.Evaluator{Source: src, Limits: query.DefaultLimits()}
		got, err := e.Run(t.Context(), q, query.Range{From: 0, To: 10, Interval: 10})
		if err != nil {
			t.Fatal(err)
		}
		if v := got[0].Values[0]; math.Abs(v-want) > math.Abs(want)*0.011 {
			t.Errorf("%s = %v, want %v within one percent", text, v, want)
		}
	}
}

// A quantile of a sketch is close to the exact one, whatever the values.
func TestSketchQuantile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(1e-6, 1e9), 1, 200).Draw(t, "values")
		s := query.NewSketch()
		for _, v := range values {
			s.Add(v)
		}
		lo, hi := s.Quantile(0), s.Quantile(1)
		least, most := math.Inf(1), 0.0
		for _, v := range values {
			least, most = min(least, v), max(most, v)
		}
		if math.Abs(lo-least) > least*0.003 || math.Abs(hi-most) > most*0.003 {
			t.Fatalf("extremes = %v, %v, want %v, %v", lo, hi, least, most)
		}
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, query, reason string
		column              int
	}{
		{"empty", "", "expected a metric", 1},
		{"no scope", "avg:system.load", "expected { and a scope", 16},
		{"open brace", "avg:m{env:prod", "not closed", 6},
		{"empty scope", "avg:m{}", "expected a tag", 7},
		{"rollup of nothing", "avg:m{*}.rollup()", "rollup takes a method, seconds or both", 10},
		{"aggregator of nothing", "avg:(m{*})", "expected a metric name after avg:", 5},
		{"unknown aggregator", "mean:m{*}", "unknown aggregator mean", 1},
		{"unknown function", "1 + frob(m{*})", "unknown function frob", 5},
		{"too few arguments", "top()", "expected a metric", 5},
		{"wrong number of arguments", "abs(m{*}, 3)", "abs takes 1, not 2", 1},
		{"unquoted word", "top(m{*}, 10, mean, 'desc')", "texts are written in quotes", 19},
		{"text for a query", "abs('x')", "is a query", 5},
		{"text for a number", "clamp_min(m{*}, 'x')", "is a number", 17},
		{"no number", "top(m{*}, 0/0, 'mean', 'desc')", "argument 2 of top is a number", 12},
		{"no finite number", "timeshift(m{*}, -1e300*1e300)", "argument 2 of timeshift is a number", 23},
		{"mixed styles", "m{env:a, b AND c}", "mixes", 11},
		{"mixed negation", "m{!env:a AND b}", "mixes", 9},
		{"unknown modifier", "m{*}.smooth(3)", "unknown modifier smooth", 6},
		{"bad rollup", "m{*}.rollup(mode, 3)", "the method of rollup", 13},
		{"long fill", "m{*}.fill(last, 900)", "between 0 and 600", 17},
		{"stray character", "m{*} % 2", "unexpected character", 6},
		{"stray words", "m{*} m{*}", "expected an operator", 6},
		{"bad rank", "top(m{*} by {h}, 5, 'best', 'desc')", "", 0},
		{"open text", "top(m{*}, 5, 'mean)", "has no end", 14},
		{"second line", "m{*} +\n  ?", "unexpected character", 3},
		{"deep", strings.Repeat("abs(", 100) + "m{*}" + strings.Repeat(")", 100), "nested deeper", 161},
		{"deep scope", "m{" + strings.Repeat("(", 100) + "a" + strings.Repeat(")", 100) + "}", "nested deeper", 43},
		{"long", strings.Repeat(" ", query.MaxLength+1), "longer than", query.MaxLength + 1},
		{"many parts", "1" + strings.Repeat("+1", 600), "more than 500 parts", 1001},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := query.Parse(c.query)
			if c.reason == "" {
				return // refused by the evaluator, see TestLimits
			}
			var bad *query.Error
			if !errors.As(err, &bad) {
				t.Fatalf("error = %v, want a *query.Error", err)
			}
			if !strings.Contains(bad.Reason, c.reason) || bad.Column != c.column {
				t.Errorf("refused with %q at column %d, want %q at column %d", bad.Reason, bad.Column, c.reason,
					c.column)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	var many memory
	for i := range 30 {
		many.series = append(many.series, series(tags{"host": {fmt.Sprint(i)}}, 1))
	}
	for _, c := range []struct {
		name, query string
		limits      query.Limits
		r           query.Range
		reason      string
	}{
		{
			"stored series", "sum:m{*}", query.Limits{Series: 29, Groups: 100, Points: 10, Cells: 1000},
			query.Range{To: 60}, "matches more than 29 series",
		},
		{
			"groups", "sum:m{*} by {host}", query.Limits{Series: 100, Groups: 29, Points: 10, Cells: 1000},
			query.Range{To: 60}, "more than 29 groups",
		},
		{
			"values in all", "sum:m{*} by {host}, sum:m{*} by {host}",
			query.Limits{Series: 100, Groups: 100, Points: 10, Cells: 599}, query.Range{To: 60, Interval: 6},
			"more than 599 values",
		},
		{"no time", "sum:m{*}", query.DefaultLimits(), query.Range{From: 60, To: 60}, "ends before it begins"},
		{"rank", "top(m{*} by {host}, 5, 'best', 'desc')", query.DefaultLimits(), query.Range{To: 60}, "top ranks by"},
		{
			"far shift", "timeshift(timeshift(m{*}, -300000000), -300000000)", query.DefaultLimits(),
			query.Range{To: 60}, "ten years",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q, err := query.Parse(c.query)
			if err != nil {
				t.Fatal(err)
			}
			e := query.Evaluator{Source: many, Limits: c.limits}
			_, err = e.Run(t.Context(), q, c.r)
			var bad *query.Error
			if !errors.As(err, &bad) || !strings.Contains(bad.Reason, c.reason) {
				t.Errorf("error = %v, want %q", err, c.reason)
			}
		})
	}
	q, _ := query.Parse("sum:m{*}.rollup(sum, 1)")
	e := query.Evaluator{Source: many, Limits: query.Limits{Series: 100, Groups: 100, Points: 10, Cells: 1000}}
	got, err := e.Run(t.Context(), q, query.Range{From: 0, To: 3600})
	if err != nil || len(got) != 1 || len(got[0].Values) > 10 {
		t.Errorf("a fine rollup gave %d series and error %v, want one of at most 10 points", len(got), err)
	}
}

func TestInterval(t *testing.T) {
	t.Parallel()
	for span, want := range map[int64]int64{
		1200: 5, 3600: 20, 14400: 60, 86400: 300, 2 * 86400: 600, 7 * 86400: 3600, 365 * 86400: 86400,
	} {
		if got := query.Interval(span, false); got != want {
			t.Errorf("Interval(%d) = %d, want %d", span, got, want)
		}
		if n := span / query.Interval(span, true); n > 400 {
			t.Errorf("%d bars for %d seconds", n, span)
		}
	}
}
