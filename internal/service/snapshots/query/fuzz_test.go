package query_test

import (
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Parsing and evaluating any text ends with a result or a refusal, never with a
// panic.
func FuzzQuery(f *testing.F) {
	fuzztest.Strings(f,
		"avg:system.cpu.user{env:prod,!host:web-1*} by {host}.rollup(max, 60)",
		"top(sum:http.requests{service IN (a, b) AND NOT env:dev} by {path}.as_rate(), 10, 'mean', 'desc')",
		"100 * sum:e{*}.as_count() / sum:r{*}.as_count(), -m{$x}.fill(zero)",
		"timeshift(ewma_3(piecewise_constant(m{a OR (b AND c)})), -3600)",
		"calendar_shift(m{*}, '-1d')", "((((", "m{", "'", "1e", "1e999", "\xff",
		"m{*} by {"+strings.Repeat("a,b,", 4000)+"c}", "m{"+strings.Repeat("a:b,", 4000)+"c:d}",
		"moving_rollup(m{*}.rollup(avg, 1), 31622400, 'median')", strings.Repeat("é", 40_000),
		strings.Repeat("9", 30_000)+"x",
	)
	src := memory{series: []stored{series(tags{"host": {"a"}}, 1, 2, 3), series(tags{"host": {"b"}, "x": {""}}, 4, 5)}}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := query.Parse(text)
		if err == nil {
			e := query.Evaluator{Source: src, Limits: query.DefaultLimits()}
			_, err = e.Run(t.Context(), q, query.Range{From: 0, To: 60, Interval: 10})
		}
		var bad *query.Error
		if err != nil && (!errors.As(err, &bad) || bad.Line < 1 || bad.Column < 1) {
			t.Fatalf("Parse(%q): error %v has no position", text, err)
		}
		if err != nil && len(err.Error()) > 4096 {
			t.Fatalf("the refusal of %.100q has %d bytes", text, len(err.Error()))
		}
	})
}
