package query_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// evaluate runs a query over so many points, ten seconds apart.
func evaluate(t *testing.T, m memory, text string, points int) ([]query.Series, error) {
	t.Helper()
	q, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	e := query.Evaluator{Source: m, Limits: query.DefaultLimits()}
	return e.Run(t.Context(), q, query.Range{From: 0, To: int64(points) * 10, Interval: 10})
}

func byMark(list []query.Series, mark string) []query.Series {
	return slices.DeleteFunc(slices.Clone(list), func(s query.Series) bool { return s.Mark != mark })
}

func TestAnomalies(t *testing.T) {
	t.Parallel()
	// A quiet series with one leap, and one that rises all the time.
	quiet, rising := make([]float64, 80), make([]float64, 80)
	for i := range quiet {
		quiet[i], rising[i] = 10+float64(i%3), float64(10*i)
	}
	quiet[60] = 100
	rising[60] = 2000
	for _, method := range []string{"basic", "agile", "robust"} {
		for name, values := range map[string][]float64{"quiet": quiet, "rising": rising} {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				got, err := evaluate(t, memory{series: []stored{series(tags{}, values...)}},
					fmt.Sprintf("anomalies(m{*}, '%s', 3)", method), 80)
				if err != nil || len(got) != 3 || got[0].Mark != "" || got[1].Mark != query.MarkLower ||
					got[2].Mark != query.MarkUpper {
					t.Fatalf("%d series and error %v, want the series, a lower and an upper edge", len(got), err)
				}
				var outside []int
				for i, v := range got[0].Values {
					if i >= 20 && (v < got[1].Values[i]-1e-9 || v > got[2].Values[i]+1e-9) {
						outside = append(outside, i)
					}
				}
				if !slices.Equal(outside, []int{60}) {
					t.Errorf("points %v lie outside the band, want 60 alone", outside)
				}
			})
		}
	}
}

// TestBandHoldsItsMedian checks that every edge is finite where there is a value
// and that the lower one is never above the upper one.
func TestBandHoldsItsMedian(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 60).Draw(r, "values")
		method := rapid.SampledFrom([]string{"basic", "agile", "robust"}).Draw(r, "method")
		got, err := evaluate(t, memory{series: []stored{series(tags{}, values...)}}, "anomalies(m{*}, '"+method+"', 2)",
			len(values))
		if err != nil {
			r.Fatal(err)
		}
		for i := range got[0].Values {
			lower, upper := got[1].Values[i], got[2].Values[i]
			if math.IsNaN(lower) || math.IsNaN(upper) || lower > upper {
				r.Fatalf("point %d has the band %g to %g", i, lower, upper)
			}
		}
	})
}

func TestOutliers(t *testing.T) {
	t.Parallel()
	var m memory
	for host := range 6 {
		values := make([]float64, 30)
		for i := range values {
			values[i] = 50 + float64((i*7+host*3)%5)
			if host == 4 {
				values[i] += 100 // another level
			}
		}
		m.series = append(m.series, series(tags{"host": {fmt.Sprint(host)}}, values...))
	}
	shape := memory{series: slices.Clone(m.series)}
	steep := make([]float64, 30)
	for i := range steep {
		steep[i] = 1 + float64(i*i)
	}
	shape.series = append(shape.series, series(tags{"host": {"steep"}}, steep...))
	for _, c := range []struct {
		name, call string
		source     memory
		want       string
	}{
		{"by points", "outliers(m{*} by {host}, 'MAD')", m, "host:4"},
		{"by whole series", "outliers(m{*} by {host}, 'DBSCAN')", m, "host:4"},
		{"by points, scaled", "outliers(m{*} by {host}, 'scaledMAD', 4, 50)", shape, "host:steep"},
		{"by whole series, scaled", "outliers(m{*} by {host}, 'scaledDBSCAN', 3)", shape, "host:steep"},
		{"nothing to compare with", "outliers(m{host:4} by {host}, 'DBSCAN')", m, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := evaluate(t, c.source, c.call, 30)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, s := range byMark(got, query.MarkOutlier) {
				names = append(names, strings.Join(s.Tags, ","))
			}
			if strings.Join(names, " ") != c.want {
				t.Errorf("outliers are %v, want %q", names, c.want)
			}
			if normal := byMark(got, query.MarkNormal); len(normal)+len(names) != len(got) {
				t.Errorf("%d usual and %d outlying series of %d", len(normal), len(names), len(got))
			}
		})
	}
}

func TestForecast(t *testing.T) {
	t.Parallel()
	line := make([]float64, 20)
	for i := range line {
		line[i] = float64(3*i + 5)
	}
	got, err := evaluate(t, memory{series: []stored{series(tags{}, line...)}}, "forecast(m{*}, 'linear', 2)", 30)
	if err != nil || len(got) != 4 {
		t.Fatalf("%d series and error %v, want the series, a forecast and its band", len(got), err)
	}
	for i := range 30 {
		want := math.NaN()
		if i >= 19 {
			want = float64(3*i + 5)
		}
		if v := got[1].Values[i]; math.IsNaN(want) != math.IsNaN(v) || math.Abs(v-want) > 1e-6 {
			t.Errorf("the forecast of point %d is %g, want %g", i, v, want)
		}
	}

	// Three days with the same evening peak: the fourth has one too.
	var daily memory
	s := stored{tags: tags{}, points: map[int64]float64{}}
	for hour := range int64(72) {
		s.points[hour*3600] = 10
		if hour%24 == 20 {
			s.points[hour*3600] = 90
		}
	}
	daily.series = []stored{s}
	q, err := query.Parse("forecast(m{*}, 'seasonal', 1)")
	if err != nil {
		t.Fatal(err)
	}
	e := query.Evaluator{Source: daily, Limits: query.DefaultLimits()}
	got, err = e.Run(t.Context(), q, query.Range{From: 0, To: 96 * 3600, Interval: 3600})
	if err != nil {
		t.Fatal(err)
	}
	expected := byMark(got, query.MarkForecast)[0].Values
	if peak, other := expected[72+20], expected[72+10]; peak < 70 || other > 30 {
		t.Errorf("the forecast has %g at the peak and %g in the morning, want about 90 and 10", peak, other)
	}
}

func TestDetectionRefuses(t *testing.T) {
	t.Parallel()
	var many memory
	for i := range 201 {
		many.series = append(many.series, series(tags{"host": {fmt.Sprint(i)}}, 1, 2, 3))
	}
	for text, reason := range map[string]string{
		"anomalies(m{host:1}, 'wild', 2)":        "'basic', 'agile' or 'robust'",
		"anomalies(m{host:1}, 'basic', 0)":       "between 1 and 6",
		"anomalies(m{*} by {host}, 'basic', 2)":  "at most 200 series",
		"outliers(m{host:1}, 'nearest')":         "'DBSCAN', 'MAD'",
		"outliers(m{host:1}, 'MAD', 3, 101)":     "up to 100",
		"outliers(m{*} by {host}, 'MAD')":        "at most 200 series",
		"forecast(m{host:1}, 'cubic')":           "'linear' or 'seasonal'",
		"forecast(m{host:1}, 'linear', 11)":      "between 0 and 10",
		"forecast(m{host:1}, 'seasonal')":        "two days",
		"forecast(m{*} by {host}, 'linear')":     "at most 200 series",
		"anomalies(m{host:1}, 'basic')":          "anomalies takes 3, not 2",
		"power(m{host:1})":                       "power takes 2, not 1",
		"exp(m{host:1}, 2)":                      "exp takes 1, not 2",
		"outliers(m{host:1}, 3)":                 "is a text in quotes",
		"forecast(m{host:1}, 'linear', 'twice')": "is a number",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := evaluate(t, many, text, 6)
			var bad *query.Error
			if !errors.As(err, &bad) || !strings.Contains(bad.Reason, reason) {
				t.Errorf("error = %v, want %q", err, reason)
			}
		})
	}
}

func TestExponents(t *testing.T) {
	t.Parallel()
	m := memory{series: []stored{series(tags{}, 0, 1, 2, -1, 1000)}}
	for text, want := range map[string]string{
		"exp(m{*})":        "*=1 2.718 7.389 0.3679 -",
		"power(m{*}, 3)":   "*=0 1 8 -1 1e+09",
		"power(m{*}, 0.5)": "*=0 1 1.414 - 31.62",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := evaluate(t, m, text, 5)
			if err != nil || show(got) != want {
				t.Errorf("%s and error %v, want %s", show(got), err, want)
			}
		})
	}
}
