//go:build !small

package metrics

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

const testRetention = 90 * 24 * time.Hour

// lastHour is a range of 180 points of 20 seconds.
func lastHour() query.Range { return query.Range{From: 1_790_000_000, To: 1_790_003_600} }

func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// hostile are expressions that took memory or time out of proportion.
func hostile() map[string]string {
	return map[string]string{
		"subquery of a century":            `count_over_time(x[100y:1ms])`,
		"subquery of a century by seconds": `count_over_time(x[100y:1s])`,
		"nested subqueries":                `max_over_time(max_over_time(x[1y:1s])[1y:1s])`,
		"nested subqueries, each small":    `max_over_time(max_over_time(x[1h:10s])[1h:10s])`,
		"default step":                     `max_over_time(x[1y:])`,
		"samples before they are counted":  `max_over_time(vector(1)[4900000s:1s])`,
		"terms without end":                "1" + strings.Repeat("+1", 8000),
		"offset beyond the retention":      `x offset 100y`,
		"negative offset":                  `x offset -100y`,
		"offset of a subquery":             `max_over_time(x[1h:1m] offset 100y)`,
		"a time beyond the retention":      `x @ 1`,
		"a time of a subquery":             `max_over_time(x[1h:1m] @ 1)`,
		"parentheses":                      nested(3000, "(", "1", ")"),
		"nested calls":                     nested(300, "abs(", "x", ")"),
		"signs":                            strings.Repeat("-", 3000) + "1",
		"long text":                        `x{a="` + strings.Repeat("a", 40_000) + `"}`,
		"many selectors":                   "x" + strings.Repeat("+x", 60),
		"repeats in a matcher":             `{a=~"` + strings.Repeat("x{1000}", 100) + `"}`,
		"repeats behind escapes":           `{a=~"` + strings.Repeat(`x\x7b1000\x7d`, 50) + `"}`,
		"repeats behind a comment":         "{a=~ # why\n\"" + strings.Repeat("x{1000}", 100) + `"}`,
		"repeats behind a parenthesis":     `{a=~"x)` + strings.Repeat("(x{1000})", 50) + `(y"}`,
		"repeats in label_replace": `label_replace(x, "a", "$1", "b", "` + strings.Repeat("x{1000}", 100) +
			`")`,
		"long regular expression":    `{a=~"` + strings.Repeat("a", 2000) + `"}`,
		"many regular expressions":   `{` + strings.Repeat(`a=~"`+strings.Repeat("a", 900)+`",`, 6) + `}`,
		"labels that double":         nested(20, `label_replace(`, "x", `, "a", "$1$1", "a", "(.*)")`),
		"labels that are joined":     nested(10, `label_join(`, "x", `, "a", "", "a", "a", "a")`),
		"long separators":            `label_join(x, "a", "` + strings.Repeat("s", 5000) + `", "b", "c")`,
		"count_values in a subquery": `last_over_time(count_values("v", vector(time()))[11000s:1s])`,
		"many count_values": strings.TrimSuffix(
			strings.Repeat(`count_values("v", vector(time())) or `, 100), " or ",
		),
		"windows over windows": `quantile_over_time(0.5, vector(1)[10000s:1s] ) + ` + strings.Repeat(
			`quantile_over_time(0.5, vector(1)[10000s:1s]) + `, 20,
		) + `1`,
		"inner part of a subquery too often": `max_over_time((` + strings.TrimSuffix(strings.Repeat("vector(1)+", 150),
			"+") + `)[10000s:1s])`,
	}
}

func TestPromQLRefusedBeforeEvaluation(t *testing.T) {
	t.Parallel()
	day := query.Range{From: 1_790_000_000 - 7*86400, To: 1_790_000_000, Interval: 500}
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := lastHour()
			if name == "many count_values" {
				r = day
			}
			_, err := checkPromQL(text, r, testRetention)
			var bad *query.Error
			if !errors.As(err, &bad) || bad.Line < 1 || bad.Column < 1 {
				t.Fatalf("err = %v, want a *query.Error", err)
			}
			if len(bad.Error()) > 1500 {
				t.Errorf("the refusal has %d bytes, want few", len(bad.Error()))
			}
		})
	}
}

func TestPromQLAccepted(t *testing.T) {
	t.Parallel()
	month := query.Range{From: 1_790_000_000 - 30*86400, To: 1_790_000_000}
	for _, text := range []string{
		`rate(http_requests_total{job=~"api|web",code!~"5.."}[5m])`,
		`histogram_quantile(0.95, sum by (le) (rate(http_request_duration_bucket[5m])))`,
		`max_over_time(rate(x[5m])[1h:1m])`, `max_over_time(rate(x[5m])[1d:])`,
		`label_replace(up, "host", "$1-$2", "instance", "(.*):(.*)")`,
		`label_join(up, "all", "-", "a", "b", "c", "d", "e")`,
		`topk(5, sum by (pod) (x)) / on() group_left() sum(x)`,
		`x offset 1d`, `x @ end()`, `x @ 1789990000 # yesterday`, `count_values("version", build_info)`,
		`1` + strings.Repeat("+1", 200), `max_over_time(x[1y])`,
	} {
		for name, r := range map[string]query.Range{"hour": lastHour(), "month": month} {
			if _, err := checkPromQL(text, r, testRetention); err != nil {
				t.Errorf("%s over a %s: %v, want it accepted", text, name, err)
			}
		}
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestPromQLAllocations is not parallel: it measures the process.
func TestPromQLAllocations(t *testing.T) {
	for name, text := range hostile() {
		if got := allocated(func() { _, _ = checkPromQL(text, lastHour(), testRetention) }); got > 16<<20 {
			t.Errorf("%s: the refusal allocates %d bytes, want at most 16 MiB", name, got)
		}
	}
}

// What the checker lets through is evaluated within the bounds of the engine.
func TestPromQLEvaluationIsBounded(t *testing.T) {
	l := NewLocal(Options{Dir: t.TempDir(), Retention: testRetention, MaxSeries: 50})
	t.Cleanup(func() { _ = l.Close() })
	now := time.Now().Unix()
	var list []Series
	for i := range 60 {
		s := Series{Metric: "wide", Tags: []string{fmt.Sprintf("host:h%d", i)}}
		if i < 40 {
			s.Tags = append(s.Tags, "few:yes")
		}
		for k := range int64(180) {
			s.Samples = append(s.Samples, Sample{Ms: (now - 3600 + k*20) * 1000, Value: float64(k)*100 + float64(i)})
		}
		list = append(list, s)
	}
	if _, err := l.Write(t.Context(), "o1", list); err != nil {
		t.Fatal(err)
	}
	r := query.Range{From: now - 3600, To: now}
	for _, row := range []struct {
		text string
		ok   bool
	}{
		{`wide`, false}, {`wide{few="yes"}`, true}, {`wide{few="yes"} + on(host) wide{few="yes"}`, false},
		{`count_values("v", wide{few="yes"})`, true},
	} {
		var err error
		taken := int64(0)
		reserve := func(n int64) error { taken += n; return nil }
		got := allocated(func() { _, err = l.PromQL(t.Context(), "o1", row.text, r, reserve) })
		if (err == nil) != row.ok {
			t.Errorf("%s: err = %v, want accepted %t", row.text, err, row.ok)
		}
		if got > 2*uint64(taken)+64<<20 {
			t.Errorf("%s: %d bytes allocated for a grant of %d", row.text, got, taken)
		}
		if err == nil && taken < promBytes {
			t.Errorf("%s: %d bytes were taken, want at least %d", row.text, taken, promBytes)
		}
	}
	none := errors.New("no memory")
	if _, err := l.PromQL(t.Context(), "o1", `wide{few="yes"}`, r, func(n int64) error {
		if n == promBytes {
			return nil
		}
		return none
	}); !errors.Is(err, none) {
		t.Errorf("err = %v, want the refusal of the pool", err)
	}
}

func FuzzPromQL(f *testing.F) {
	for _, text := range hostile() {
		fuzztest.Strings(f, text)
	}
	fuzztest.Strings(f, `sum by (le) (rate(x{a=~"b|c"}[5m]))`)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := checkPromQL(text, lastHour(), testRetention)
		var bad *query.Error
		if err != nil && (!errors.As(err, &bad) || len(err.Error()) > 4096) {
			t.Fatalf("%q: %v, want a short *query.Error", text, err)
		}
	})
}
