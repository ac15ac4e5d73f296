package main

import (
	"fmt"
	"io"
	"strings"
)

// console prints the short form: one line per service and what is missing.
func console(w io.Writer, counts []count) {
	defined, proved, open, decided := totals(counts)
	for _, c := range counts {
		fmt.Fprintf(w, "%s %-10s %3d of %3d rows proved, %2d of %2d open questions decided\n",
			c.Service.Letter, c.Service.Name, c.Proved, c.Defined, c.Decided, c.Open)
		if ids := c.missing(); len(ids) > 0 {
			fmt.Fprintf(w, "             without: %s\n", strings.Join(ranges(ids), " "))
		}
	}
	fmt.Fprintf(w, "all          %3d of %3d rows proved on both databases, %2d of %2d open questions decided\n", proved,
		defined, decided, open)
}

// markdown writes docs/conformance.md. It carries no date: the same tests give
// the same bytes, so a difference in a review is a difference in the product.
func markdown(w io.Writer, counts []count) {
	defined, proved, open, decided := totals(counts)
	fmt.Fprint(w, "# Conformance\n\n<!-- Written by `make conformance`. Do not edit. -->\n\n",
		"Every numbered statement of the contract and what shows it. A row is *proved* when the black-box subtest that\n",
		"carries its id passes on SQLite and on PostgreSQL. The subtest does what the contract's own check for the "+
			"row asks:\n",
		"for most rows it makes the request and compares status, headers and body; where the check asks only for presence\n",
		"or acceptance (\"may grow under load\", \"is accepted\"), the subtest shows no more than that, and where a "+
			"rule binds\n",
		"clients it shows the server's half. How well the suites notice a wrong answer is measured by `make mutate`. "+
			"An open\n",
		"question (`-N`) is *decided* when the service's `doc.go`\n",
		"names it under \"Where the contract is silent we decided\". Made by:\n\n    make conformance\n\n")
	fmt.Fprint(w, "| | service | rows | proved | open questions | decided |\n|---|---|--:|--:|--:|--:|\n")
	for _, c := range counts {
		fmt.Fprintf(w, "| %s | [%s](#%s) | %d | %d | %d | %d |\n",
			c.Service.Letter, c.Service.Name, anchor(c), c.Defined, c.Proved, c.Open, c.Decided)
	}
	fmt.Fprintf(w, "| | **all** | **%d** | **%d** | **%d** | **%d** |\n", defined, proved, open, decided)
	for _, c := range counts {
		fmt.Fprintf(w, "\n## %s %s\n\n%s.\n\n| row | part | statement | state |\n|---|---|---|---|\n", c.Service.Letter,
			c.Service.Name, c.Service.Title)
		for _, l := range c.Rows {
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", l.ID, l.Area, escape(l.Title), l.State)
		}
	}
}

func anchor(c count) string { return strings.ToLower(c.Service.Letter) + "-" + c.Service.Name }

// escape keeps a title from ending its table cell or becoming markup.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(s)
}

func totals(counts []count) (defined, proved, open, decided int) {
	for _, c := range counts {
		defined, proved = defined+c.Defined, proved+c.Proved
		open, decided = open+c.Open, decided+c.Decided
	}
	return defined, proved, open, decided
}

// ranges shortens neighbours: A-01 A-02 A-03 becomes A-01..03.
func ranges(ids []string) []string {
	var out []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && number(ids[j+1]) == number(ids[j])+1 {
			j++
		}
		if j > i {
			_, last, _ := strings.Cut(ids[j], "-")
			out = append(out, ids[i]+".."+last)
		} else {
			out = append(out, ids[i])
		}
		i = j + 1
	}
	return out
}

func number(id string) int {
	n := 0
	for _, c := range id {
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
		}
	}
	return n
}
