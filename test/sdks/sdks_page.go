package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

type operation struct{ service, route string }

// operations are what a folder drove, in order.
func (e evidence) operations() []operation {
	var out []operation
	for _, d := range e.driven {
		if o := (operation{d.Service, d.Route}); !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.service+" "+a.route, b.service+" "+b.route) })
	return out
}

// statuses are the classes of answers that a kind of client got.
func (e evidence) statuses(kind string, o operation) string {
	var out []string
	for _, d := range e.driven {
		if d.Client == kind && d.Service == o.service && d.Route == o.route {
			out = append(out, d.Status)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

type column struct{ kind, title string }

// columns are the kinds of clients that a folder's table shows. Python has one
// where a client of it is.
func (e evidence) columns() []column {
	out := []column{{"go", "Go"}, {"npm", "npm"}}
	if slices.ContainsFunc(e.clients, func(c client) bool { return c.kind == "python" }) {
		out = append(out, column{"python", "Python"})
	}
	return out
}

// intro is what stands above the folders.
func intro() string {
	return "# SDKs\n\n<!-- Written by `make sdk`. Do not edit. -->\n\n" +
		"Official clients, unmodified and pinned to a version, drove the binary in its `sdk` dialect. Operations are those " +
		"that the server\n" +
		"itself counted, with the classes of statuses it answered; assertions are the tests that passed. `make sdk` runs " +
		"everything again and\n" +
		"fails when an operation that stands here was not driven. Each test has a world of a lab, whose " +
		"[conduct](conduct.md) report\n" +
		"says how its clients behaved; tests that provoke refusals on purpose break rules on purpose.\n"
}

// page is the whole text.
func page(all []evidence, services []string) string {
	var b strings.Builder
	b.WriteString(intro())
	seen := map[string]bool{}
	for _, e := range all {
		writeEvidence(&b, e)
		seen[e.folder] = true
		for _, o := range e.operations() {
			seen[o.service] = true
		}
	}
	var without []string
	for _, s := range services {
		if !seen[s] {
			without = append(without, s)
		}
	}
	if len(without) > 0 {
		fmt.Fprintf(&b, "\n## Without an official client\n\nNo client drives %s here; the conformance tests do.\n",
			strings.Join(without, ", "))
	}
	return b.String()
}

func writeEvidence(b *strings.Builder, e evidence) {
	fmt.Fprintf(b, "\n## %s\n\n", e.folder)
	for _, c := range e.clients {
		fmt.Fprintf(b, "- `%s` %s (%s)\n", c.name, c.version, c.kind)
	}
	if operations := e.operations(); len(operations) > 0 {
		columns := e.columns()
		b.WriteString("\n| service | operation |")
		for _, c := range columns {
			b.WriteString(" " + c.title + " |")
		}
		b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
		for _, o := range operations {
			fmt.Fprintf(b, "| %s | `%s` |", o.service, o.route)
			for _, c := range columns {
				b.WriteString(" " + e.statuses(c.kind, o) + " |")
			}
			b.WriteString("\n")
		}
	}
	writeConduct(b, e.conduct, e.reasons)
	b.WriteString("\nAsserted:\n\n")
	writeTests(b, e.passed, e.skipped)
	for _, m := range e.models {
		fmt.Fprintf(b, "\nAsserted again, of every server with `stoa models pull %s`:\n\n", m.name)
		writeTests(b, m.passed, m.skipped)
	}
}

func writeTests(b *strings.Builder, passed, skipped []string) {
	for _, p := range slices.Sorted(slices.Values(passed)) {
		fmt.Fprintf(b, "- %s\n", p)
	}
	for _, s := range skipped {
		fmt.Fprintf(b, "- not run here: %s\n", s)
	}
}

// writeConduct says what the lab's report found in the tests of a folder.
func writeConduct(b *strings.Builder, all []conduct, reasons map[string]string) {
	if len(all) == 0 {
		return
	}
	clean := 0
	found := map[finding][]string{}
	for _, c := range all {
		// A report of advice alone is clean.
		if !slices.ContainsFunc(c.Findings, func(f finding) bool { return f.Severity != "info" }) {
			clean++
		}
		for _, f := range c.Findings {
			f.Count = 0
			found[f] = append(found[f], words(c.Test))
		}
	}
	fmt.Fprintf(b, "\nConduct: %d of %d worlds clean.\n", clean, len(all))
	if len(found) == 0 {
		return
	}
	b.WriteString("\n| severity | rule | in the tests | why |\n|---|---|---|---|\n")
	list := slices.SortedFunc(maps.Keys(found), func(x, y finding) int {
		return strings.Compare(x.Severity+" "+x.Rule, y.Severity+" "+y.Rule)
	})
	for _, f := range list {
		tests := slices.Compact(slices.Sorted(slices.Values(found[f])))
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", f.Severity, f.Rule, strings.Join(tests, "; "), reasons[f.Rule])
	}
}

// dropped are the operations of the page before that are not in the page now.
func dropped(before, now string) []string {
	var lost []string
	have := rows(now)
	for row := range rows(before) {
		if !have[row] {
			lost = append(lost, row)
		}
	}
	slices.Sort(lost)
	return lost
}

// rows are the operations of a page with the kinds of clients that drove them.
func rows(text string) map[string]bool {
	out := map[string]bool{}
	var titles []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case len(cells) > 2 && cells[0] == "service" && cells[1] == "operation":
			titles = cells
		case len(cells) == len(titles) && strings.HasPrefix(cells[1], "`"):
			for i := 2; i < len(cells); i++ {
				if cells[i] != "" {
					out[cells[0]+" "+cells[1]+" "+titles[i]] = true
				}
			}
		}
	}
	return out
}

// replaced is the page with one folder's section written again.
func replaced(before string, e evidence) string {
	var section strings.Builder
	writeEvidence(&section, e)
	if _, folders, found := strings.Cut(before, "\n## "); found {
		before = intro() + "\n## " + folders
	}
	title := "\n## " + e.folder + "\n"
	head, rest, found := strings.Cut(before, title)
	if !found {
		return inserted(before, e.folder, section.String())
	}
	_, tail, more := strings.Cut(rest, "\n## ")
	if more {
		tail = "\n## " + tail
	}
	return head + section.String() + tail
}

// inserted is the page with the section of a folder that is new, in the order of names.
func inserted(before, folder, section string) string {
	at := len(before)
	for from := 0; ; {
		i := strings.Index(before[from:], "\n## ")
		if i < 0 {
			break
		}
		from += i + len("\n## ")
		if title, _, _ := strings.Cut(before[from:], "\n"); title > folder || strings.Contains(title, " ") {
			at = from - len("\n## ")
			break
		}
	}
	return before[:at] + section + before[at:]
}
