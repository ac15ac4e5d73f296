package main

import (
	"fmt"
	"slices"
	"strings"
)

// section is one table of the pages.
type section struct {
	page, title string
	ids         []string
}

func sections() []section {
	number := func(letter string, from, to int) (ids []string) {
		for n := from; n <= to; n++ {
			ids = append(ids, fmt.Sprint(letter, n))
		}
		return ids
	}
	return []section{
		{"reliability.md", "Crash and storage", number("R", 1, 9)},
		{"reliability.md", "PostgreSQL, network, concurrency", number("R", 10, 18)},
		{"reliability-time.md", "Time", number("R", 19, 22)},
		{"reliability-time.md", "Delivery", number("R", 23, 27)},
		{"reliability-security.md", "Security", number("S", 1, 14)},
		{"reliability-security.md", "Input", number("F", 1, 7)},
	}
}

// heads are what the pages begin with.
func heads(targets []target) map[string]string {
	counts := map[string]int{}
	for _, t := range targets {
		counts[t.State]++
	}
	const written = "Written by `go run ./test/reliability`; do not edit.\n"
	const belongs = written + "This belongs to [Reliability](reliability.md).\n"
	return map[string]string{
		"reliability.md": "# Reliability\n\n" + written + fmt.Sprintf(`
%d targets: %d shown in full, %d in part, %d not at all. Full means that the test meets
the number of the target; part that it shows less, and the row says what. Each row has the
command that shows it: `+"`go run ./test/reliability -run R1`"+` runs one and notes the
result, `+"`make nightly`"+` all in their long forms. Further tables:
[time and delivery](reliability-time.md), [security and input](reliability-security.md),
[planted defects](reliability-defects.md), [a cluster](reliability-cluster.md).
`, len(targets), counts[full], counts[part], counts[none]),
		"reliability-time.md":     "# Reliability: time and delivery\n\n" + belongs,
		"reliability-security.md": "# Reliability: security and input\n\n" + belongs,
	}
}

// pages are the texts of the pages by name.
func pages(targets []target, results map[string]result) map[string]string {
	byID := map[string]target{}
	for _, t := range targets {
		byID[t.ID] = t
	}
	all := heads(targets)
	for _, s := range sections() {
		var b strings.Builder
		fmt.Fprintf(&b, "\n## %s\n\n| target | shown | by | last result |\n|---|---|---|---|\n", s.title)
		for _, id := range s.ids {
			b.WriteString(line(byID[id], results))
		}
		all[s.page] += b.String()
	}
	return all
}

func line(t target, results map[string]result) string {
	by := "nothing"
	if t.Command != "" {
		by = "`" + t.Command + "`"
	}
	if t.Missing != "" {
		by += "; missing: " + t.Missing
	}
	var last []string
	for form, command := range map[string]string{"short": t.Command, "long": t.Long} {
		// What another command showed is no result of this one.
		if r, ok := results[t.ID+" "+form]; ok && r.Command == command {
			last = append(last, r.text())
		}
	}
	slices.Sort(last)
	if len(last) == 0 {
		last = []string{"not run"}
	}
	cells := []string{t.ID + ": " + t.Asked, t.State, by, strings.Join(last, "; ")}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// text is a result in a few words.
func (r result) text() string {
	text := fmt.Sprintf("%s %s, %s", r.Date, r.Outcome, r.Took)
	if r.Form == "long" {
		text = "long: " + text
	}
	if r.Said != "" {
		text += " (" + r.Said + ")"
	}
	return text
}
