// Package query is the metric query language: parser and evaluator.
//
// A query is one or more expressions separated by commas:
//
//	avg:system.cpu.user{env:prod,!host:web-1*} by {host}.rollup(max, 60)
//	top(sum:http.requests{service IN (a, b) AND NOT env:dev} by {path}.as_rate(), 10, 'mean', 'desc')
//	100 * sum:http.errors{*}.as_count() / sum:http.requests{*}.as_count()
//
// Evaluation has a fixed order: values of one stored series are combined per
// time bucket (rollup), holes between several series are interpolated (fill),
// series are combined per group (the aggregator before the colon), functions
// and arithmetic work on the result. Buckets are aligned to the Unix epoch; the
// first one begins at or after the start of the query.
//
// The package owns the language and nothing else: stored values come through
// [Source], times are given, and it neither reads a clock nor speaks HTTP.
//
// Parsing never recurses deeper than [MaxDepth] and reads at most [MaxLength]
// bytes; evaluation is bounded by [Limits]. Every refusal is an [*Error] with
// the position of its cause.
package query
