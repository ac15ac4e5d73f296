package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"stoa.dev/stoa/test/conformance"
)

// event is one line of `go test -json`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// engines are the databases every row is proved on.
func engines() []string { return []string{"sqlite", "postgres"} }

// results is what the tests said: row id to engine to pass, fail or skip.
type results struct {
	rows   map[string]map[string]string
	failed []string // tests and packages that failed, in the order they ended
	output map[string]string
}

// rowName matches a subtest named by a row, below its engine:
// TestLabels/sqlite/D-01, and anything deeper counts for its row.
var rowName = regexp.MustCompile(`^[^/]+/(sqlite|postgres)/(?:.*/)?([A-M]-N?\d{1,2})(?:/|$)`)

// read folds the event stream. A row with several subtests passes only when
// all of them do.
func read(stream io.Reader) (*results, error) {
	r := &results{rows: map[string]map[string]string{}, output: map[string]string{}}
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("reading go test -json: %w: %q", err, lines.Text())
		}
		r.add(e)
	}
	return r, lines.Err()
}

func (r *results) add(e event) {
	name := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		r.output[name] += e.Output
		return
	case "fail", "build-fail":
		r.failed = append(r.failed, strings.TrimSpace(name))
	case "pass", "skip":
	default:
		return
	}
	m := rowName.FindStringSubmatch(e.Test)
	if m == nil {
		return
	}
	engine, id := m[1], m[2]
	if r.rows[id] == nil {
		r.rows[id] = map[string]string{}
	}
	r.rows[id][engine] = worse(r.rows[id][engine], e.Action)
}

// worse keeps the worst of two outcomes.
func worse(a, b string) string {
	for _, outcome := range []string{"fail", "skip", "pass"} {
		if a == outcome || b == outcome {
			return outcome
		}
	}
	return b
}

// state is the one word the report has for a row.
func (r *results) state(id string) string {
	seen := r.rows[id]
	if len(seen) == 0 {
		return "missing"
	}
	passed := []string{}
	for _, engine := range engines() {
		switch seen[engine] {
		case "fail":
			return "failing"
		case "pass":
			passed = append(passed, engine)
		}
	}
	if len(passed) == len(engines()) {
		return "proved"
	}
	if len(passed) == 0 {
		return "skipped"
	}
	return "only " + strings.Join(passed, ", ")
}

// count is the sum line of one service.
type count struct {
	Service conformance.Service
	Rows    []line
	Defined int
	Proved  int
	Open    int
	Decided int
}

// line is one row with its state.
type line struct {
	conformance.Row
	State string
}

// missing names the defined rows that are not proved.
func (c count) missing() []string {
	var ids []string
	for _, l := range c.Rows {
		if l.Kind == conformance.Defined && l.State != "proved" {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// tally joins rows, results and the decisions found in doc.go files.
func tally(rows []conformance.Row, r *results, decisions map[string]string) []count {
	var counts []count
	for _, s := range conformance.Services() {
		c := count{Service: s}
		for _, row := range rows {
			if row.Letter() != s.Letter {
				continue
			}
			l := line{Row: row, State: r.state(row.ID)}
			if row.Kind == conformance.Open {
				l.State = "open"
				if regexp.MustCompile(`\b` + row.ID + `\b`).MatchString(decisions[s.Name]) {
					l.State = "decided"
					c.Decided++
				}
				c.Open++
			} else {
				c.Defined++
				if l.State == "proved" {
					c.Proved++
				}
			}
			c.Rows = append(c.Rows, l)
		}
		counts = append(counts, c)
	}
	return counts
}
