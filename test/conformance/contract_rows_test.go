package conformance

import (
	"strconv"
	"testing"
)

// TestRowsAreComplete walks the numbers of each letter: a row lost from the
// table would silently count as covered.
func TestRowsAreComplete(t *testing.T) {
	t.Parallel()
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]int{}
	for _, r := range rows {
		var series string
		if r.Kind == Open {
			series = r.ID[:3] // D-N1
		} else {
			series = r.ID[:2] // D-01
		}
		number, err := strconv.Atoi(r.ID[len(series):])
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		if number != last[series]+1 {
			t.Errorf("%s comes after number %d of its letter", r.ID, last[series])
		}
		last[series] = number
		if r.Title == "" || r.Area == "" {
			t.Errorf("%s has no title or area", r.ID)
		}
	}
	for _, s := range Services() {
		if last[s.Letter+"-"] == 0 {
			t.Errorf("%s (%s) has no row", s.Name, s.Letter)
		}
	}
}

func TestRowsRefusesBrokenTables(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"missing cell":          "id\tkind\tarea\ttitle\nA-01\tdefined\tauth\n",
		"open id called define": "id\tkind\tarea\ttitle\nA-N1\tdefined\tauth\tx\n",
		"unknown kind":          "id\tkind\tarea\ttitle\nA-01\tmaybe\tauth\tx\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if rows, err := parseRows(text); err == nil {
				t.Errorf("got %v, want an error", rows)
			}
		})
	}
}

func TestServicesMatchRows(t *testing.T) {
	t.Parallel()
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	letters := map[string]bool{}
	for _, r := range rows {
		letters[r.Letter()] = true
	}
	for _, s := range Services() {
		if !letters[s.Letter] {
			t.Errorf("service %s has the letter %s, which has no rows", s.Name, s.Letter)
		}
		if got := Letter(s.Name); got != s.Letter {
			t.Errorf("Letter(%q) = %q, want %q", s.Name, got, s.Letter)
		}
	}
}
