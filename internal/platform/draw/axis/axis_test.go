package axis_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/draw/axis"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		v, step float64
		unit    axis.Unit
		want    string
	}{
		{0, 1, "", "0"},
		{1500, 500, "", "1.5k"},
		{1000, 500, "", "1k"},
		{-2500000, 500000, "", "−2.5M"},
		{0.25, 0.05, "", "0.25"},
		{12.3456, 0, "", "12.3"},
		{0.012345, 0, "", "0.0123"},
		{1536, 512, "byte", "1.5 KiB"},
		{3 << 30, 1 << 30, "byte/second", "3 GiB/s"},
		{0.25, 0.05, "second", "250 ms"},
		{90, 30, "second", "90 s"},
		{7200, 3600, "second", "2 h"},
		{250, 50, "millisecond", "250 ms"},
		{1500, 500, "millisecond", "1.5 s"},
		{42.5, 2.5, "percent", "42.5%"},
		{0.5, 0.1, "fraction", "50%"},
		{1200, 200, "request/second", "1.2k/s"},
		{999960, 0, "", "1M"},
		{999.4, 0, "", "999"},
		{-999.96, 0, "", "−1k"},
		{999960, 10, "", "999.96k"},
		{1023.9, 0, "kibibyte", "1 MiB"},
		{0.9999, 0, "second", "1 s"},
		{119.96, 0, "second", "2 min"},
		{1e-12, 0, "second", "0.001 ns"},
		{0, 30, "second", "0"},
		{math.NaN(), 0, "", "–"},
		{math.Inf(-1), 0, "", "−∞"},
	} {
		if got := axis.Format(c.v, c.step, c.unit); got != c.want {
			t.Errorf("Format(%v, %v, %q) = %q, want %q", c.v, c.step, c.unit, got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		name, from, to string
		loc            *time.Location
		n              int
		want           string
	}{
		{"an hour", "2026-03-01T10:03:00Z", "2026-03-01T11:03:00Z", time.UTC, 6, "10:10 10:20 10:30 10:40 10:50 11:00"},
		{
			"a minute", "2026-03-01T10:03:00Z", "2026-03-01T10:03:20Z", time.UTC, 4,
			"10:03:00 10:03:05 10:03:10 10:03:15 10:03:20",
		},
		{"over midnight", "2026-03-01T22:00:00Z", "2026-03-02T02:00:00Z", time.UTC, 4, "22:00 23:00 Mon 2 01:00 02:00"},
		{"in a zone", "2026-03-01T22:00:00Z", "2026-03-02T02:00:00Z", berlin, 4, "23:00 Mon 2 01:00 02:00 03:00"},
		{
			"weeks begin on Monday", "2026-03-01T00:00:00Z", "2026-03-31T00:00:00Z", time.UTC, 5,
			"Mar 2 Mar 9 Mar 16 Mar 23 Mar 30",
		},
		{"a year", "2025-06-15T00:00:00Z", "2026-06-15T00:00:00Z", time.UTC, 6, "Jul Sep Nov 2026 Mar May"},
		{"empty", "2026-03-01T22:00:00Z", "2026-03-01T22:00:00Z", time.UTC, 6, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, m := range axis.Times(at(c.from), at(c.to), c.loc, c.n) {
				got = append(got, m.Label)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("ticks = %q, want %q", s, c.want)
			}
		})
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		s    axis.Scale
		n    int
		unit axis.Unit
		want []float64
	}{
		{"linear", axis.Scale{Kind: axis.Linear, Max: 100}, 5, "", []float64{0, 20, 40, 60, 80, 100}},
		{"bytes", axis.Scale{Kind: axis.Linear, Max: 4096}, 4, "byte", []float64{0, 1024, 2048, 3072, 4096}},
		{"log", axis.Scale{Kind: axis.Log, Min: 1, Max: 10000}, 5, "", []float64{1, 10, 100, 1000, 10000}},
		{"log from zero", axis.Scale{Kind: axis.Log, Max: 100}, 3, "", []float64{0, 1, 10, 100}},
		{"flat", axis.Scale{Kind: axis.Linear, Min: 3, Max: 3}, 5, "", nil},
		{
			"finer than numbers are",
			axis.Scale{Kind: axis.Linear, Min: 9.00719925475e+09, Max: 9.00719925475e+09 + 1.52587890625e-05}, 16, "",
			[]float64{9.00719925475e+09 + 1e-05},
		},
	} {
		if got := axis.Values(c.s, c.n, c.unit).Values; !slices.Equal(got, c.want) {
			t.Errorf("%s: ticks = %v, want %v", c.name, got, c.want)
		}
	}
}

// Whatever the range, ticks stay inside it, ascend and are few.
func TestValuesProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e12, 1e12).Draw(t, "lo")
		hi := lo + rapid.Float64Range(0, 1e12).Draw(t, "span")
		n := rapid.IntRange(1, 20).Draw(t, "n")
		u := rapid.SampledFrom([]axis.Unit{"", "byte", "second", "percent"}).Draw(t, "unit")
		k := rapid.SampledFrom([]axis.Kind{axis.Linear, axis.Log, axis.Sqrt, axis.Pow}).Draw(t, "kind")
		got := axis.Values(axis.Scale{Kind: k, Exponent: 2, Min: lo, Max: hi}, n, u)
		if len(got.Values) > 4*max(n, 2)+2 {
			t.Fatalf("%d ticks for n = %d", len(got.Values), n)
		}
		for i, v := range got.Values {
			slack := (hi - lo) * 1e-6
			if v < lo-slack || v > hi+slack || i > 0 && v <= got.Values[i-1] {
				t.Fatalf("tick %d of %v leaves [%v, %v] or does not ascend", i, got.Values, lo, hi)
			}
		}
	})
}

// Values near the largest number are rounded up to no infinity, and a range that reaches
// one still has a finite list of ticks.
func TestLargestNumbers(t *testing.T) {
	t.Parallel()
	largest := math.MaxFloat64
	for _, unit := range []axis.Unit{"", "byte", "percent", "second"} {
		if got := axis.LogCeil(largest, unit); math.IsInf(got, 0) {
			t.Errorf("%q: LogCeil of the largest number is %v", unit, got)
		}
		if lo, hi := axis.Extend(-largest, largest, 5, unit); math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			t.Errorf("%q: Extend of all numbers is %v to %v", unit, lo, hi)
		}
		if lo, hi := axis.Extend(0, largest, 5, unit); math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			t.Errorf("%q: Extend of the positive numbers is %v to %v", unit, lo, hi)
		}
		for _, kind := range []axis.Kind{axis.Linear, axis.Log, axis.Sqrt, axis.Pow} {
			for _, top := range []float64{largest, math.Inf(1)} {
				s := axis.Scale{Kind: kind, Exponent: 2, Min: 1, Max: top}
				if got := axis.Values(s, 5, unit).Values; len(got) > 100 {
					t.Errorf("%q, %s to %v: %d ticks", unit, kind, top, len(got))
				}
			}
			s := axis.Scale{Kind: kind, Exponent: 10, Min: -largest, Max: largest}
			low, middle, high := s.Map(-largest), s.Map(0), s.Map(largest)
			if low != 0 || middle != 0.5 || high != 1 {
				t.Errorf("%s: the ends and the middle of all numbers are at %v, %v and %v", kind, low, middle, high)
			}
		}
	}
}

// A range that is as narrow as numbers allow has two ends.
func TestSmallestRange(t *testing.T) {
	t.Parallel()
	s := axis.Scale{Kind: axis.Linear, Max: math.SmallestNonzeroFloat64}
	if low, high := s.Map(0), s.Map(s.Max); low != 0 || high != 1 {
		t.Errorf("the ends are at %v and %v", low, high)
	}
}

func TestParseKind(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{
		"": 1, "linear": 1, "log": 1, "sqrt": 0.5, "pow": 2, "pow3": 3, "pow0.5": 0.5,
	} {
		if _, e, err := axis.ParseKind(s); err != nil || e != want {
			t.Errorf("ParseKind(%q) = %v, %v, want exponent %v", s, e, err, want)
		}
	}
	for _, s := range []string{"cube", "pow99", "powNaN", "pow-1"} {
		if _, _, err := axis.ParseKind(s); err == nil {
			t.Errorf("ParseKind(%q) succeeded, want an error", s)
		}
	}
}

// The ends of a range that was widened to whole steps have ticks.
func TestExtendedEndsHaveTicks(t *testing.T) {
	t.Parallel()
	if got := axis.Values(axis.Scale{Kind: axis.Linear, Min: -40, Max: 40}, 3, ""); !slices.Equal(got.Values,
		[]float64{-40, -20, 0, 20, 40}) {
		t.Errorf("ticks of -40 to 40 are %v", got.Values)
	}
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		// A span of less than a millionth of its values is too small for labels.
		span := rapid.Float64Range(max(1e-3, math.Abs(lo)*1e-6), 1e6).Draw(t, "span")
		n := rapid.IntRange(2, 9).Draw(t, "n")
		unit := rapid.SampledFrom([]axis.Unit{"", "percent"}).Draw(t, "unit")
		from, to := axis.Extend(lo, lo+span, n, unit)
		ticks := axis.Values(axis.Scale{Kind: axis.Linear, Min: from, Max: to}, n, unit)
		near := func(a, b float64) bool { return math.Abs(a-b) < ticks.Step/1000 }
		if k := len(ticks.Values); k < 2 || k > n+3 || !near(ticks.Values[0], from) || !near(ticks.Values[k-1], to) {
			t.Fatalf("%v to %v with about %d ticks has %v", from, to, n, ticks.Values)
		}
	})
}
