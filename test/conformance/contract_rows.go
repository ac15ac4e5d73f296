package conformance

import (
	_ "embed"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/app"
)

// rowsText is the table of every numbered statement, one line each.
//
//go:embed rows.tsv
var rowsText string

// Kind tells statements that the contract defines from those it leaves open.
type Kind string

// The kinds of rows. A defined row is proved by a test; an open one is closed
// by a decision in the service's doc.go.
const (
	Defined Kind = "defined"
	Open    Kind = "open"
)

// Row is one numbered statement of the contract.
type Row struct {
	ID    string // D-01, or D-N1 for an open question
	Kind  Kind
	Area  string // the part of the contract: resources, endpoints, auth, …
	Title string
}

// Letter is the service the row belongs to.
func (r Row) Letter() string { return r.ID[:1] }

// Service is one of those that the app serves, by the contract's letter and our
// package name.
type Service struct {
	Letter, Name, Title string
}

// Services lists them in the order of the contract's letters.
func Services() []Service {
	var list []Service
	for _, m := range app.Services() {
		list = append(list, Service{Letter: m.Letter, Name: m.Name, Title: m.Title})
	}
	return list
}

// Letter returns the contract's letter of a service package, empty when the app
// does not serve it.
func Letter(name string) string {
	for _, s := range Services() {
		if s.Name == name {
			return s.Letter
		}
	}
	return ""
}

// Rows parses the embedded table.
func Rows() ([]Row, error) { return parseRows(rowsText) }

func parseRows(text string) ([]Row, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	rows := make([]Row, 0, len(lines))
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			return nil, fmt.Errorf("rows.tsv line %d has %d cells, want 4", i+2, len(cells))
		}
		r := Row{ID: cells[0], Kind: Kind(cells[1]), Area: cells[2], Title: cells[3]}
		if (r.Kind == Open) != strings.Contains(r.ID, "-N") || (r.Kind != Open && r.Kind != Defined) {
			return nil, fmt.Errorf("rows.tsv line %d: %s cannot be of kind %q", i+2, r.ID, r.Kind)
		}
		rows = append(rows, r)
	}
	return rows, nil
}
