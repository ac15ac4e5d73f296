package adversary

import (
	"fmt"
	"strings"
)

// Text is a text that grows when it is evaluated.
type Text struct {
	Name string
	// Make builds it with about n bytes at most.
	Make func(n int) string
}

// Texts are the languages that the services evaluate, at their worst.
func Texts() []Text {
	fixed := func(s string) func(int) string { return func(int) string { return s } }
	return []Text{
		{"subquery", fixed("promql:count_over_time(x[100y:1ms])")},
		{"nested subqueries", fixed("promql:max_over_time(max_over_time(x[1y:1s])[1y:1s])")},
		{"long sum", func(n int) string { return "promql:1" + strings.Repeat("+1", n/2) }},
		{"own query sum", func(n int) string { return "avg:a{*}" + strings.Repeat("+avg:a{*}", n/9) }},
		{"wide table", func(n int) string {
			columns := max(min(n/6, 2000), 1)
			return "|" + strings.Repeat("a|", columns) + "\n|" + strings.Repeat("-|", columns) + "\n" +
				strings.Repeat("|\n", max(n/2-2*columns, 1))
		}},
		{"references", func(n int) string { return strings.Repeat("[a][b] ", n/14) + strings.Repeat("[b]: c\n", n/14) }},
		{"emphasis", func(n int) string { return strings.Repeat("**a _b ", n/7) }},
		{"brackets", func(n int) string { return strings.Repeat("[", n) }},
		{"quotes", func(n int) string { return strings.Repeat(">", n) }},
		{"recurrence", fixed("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=0," +
			"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23")},
		{"aliases", fixed(aliases())},
		{"pattern", fixed("^(([a-z])+.)+[A-Z]([a-z])+$(a?){500}a{500}")},
		{"schema", fixed(`{"type":"array","minItems":100000000,"items":{"$ref":"#"}}`)},
		{"braces", func(n int) string { return strings.Repeat("<<", n/4) + strings.Repeat(">>", n/4) }},
		{"combining", func(n int) string { return "a" + strings.Repeat("\u0301", n/2) }},
		{"path", func(n int) string { return strings.Repeat("../", n/3) }},
		{"address", fixed("https://[::ffff:169.254.169.254]/latest")},
		{"time zones", fixed("9999-12-31T23:59:59.999999999-23:59")},
		{"NUL", fixed("a\x00b")},
	}
}

// aliases is a YAML text of nine lines with a billion leaves.
func aliases() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [", i, i)
		b.WriteString(strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
		b.WriteString("]\n")
	}
	return b.String()
}
