package conformance

import (
	"maps"
	"testing"
)

// TestRowsAreComplete pins the size of the contract: a row lost from the table
// would silently count as covered.
func TestRowsAreComplete(t *testing.T) {
	t.Parallel()
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	got := map[Kind]int{}
	defined := map[string]int{}
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.ID] {
			t.Errorf("%s is listed twice", r.ID)
		}
		seen[r.ID] = true
		got[r.Kind]++
		if r.Kind == Defined {
			defined[r.Letter()]++
		}
		if r.Title == "" || r.Area == "" {
			t.Errorf("%s has no title or area", r.ID)
		}
	}
	if want := (map[Kind]int{Defined: 454, Open: 110}); !maps.Equal(got, want) {
		t.Errorf("rows: got %v, want %v", got, want)
	}
	want := map[string]int{
		"A": 20, "B": 62, "C": 16, "D": 12, "E": 17, "F": 82, "G": 47, "H": 38, "I": 46, "J": 33, "K": 43, "L": 6, "M": 32,
	}
	if !maps.Equal(defined, want) {
		t.Errorf("defined rows per service: got %v, want %v", defined, want)
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
	if got, want := len(Services()), 13; got != want {
		t.Errorf("services: got %d, want %d", got, want)
	}
}
