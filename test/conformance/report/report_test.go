package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

const stream = `{"Action":"run","Package":"p","Test":"TestLabels/sqlite/D-01"}
{"Action":"pass","Package":"p","Test":"TestLabels/sqlite/D-01"}
{"Action":"pass","Package":"p","Test":"TestLabels/postgres/D-01"}
{"Action":"pass","Package":"p","Test":"TestLabels/sqlite/D-02"}
{"Action":"skip","Package":"p","Test":"TestLabels/postgres/D-02"}
{"Action":"pass","Package":"p","Test":"TestLabels/sqlite/D-03/first"}
{"Action":"output","Package":"p","Test":"TestLabels/sqlite/D-03/second","Output":"got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestLabels/sqlite/D-03/second"}
{"Action":"pass","Package":"p","Test":"TestLabels/postgres/D-03"}
{"Action":"pass","Package":"p","Test":"TestOther/D-04"}
`

func TestStates(t *testing.T) {
	t.Parallel()
	r, err := read(strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"D-01": "proved", "D-02": "only sqlite", "D-03": "failing",
		"D-04": "missing", // not below an engine
		"D-05": "missing",
	} {
		if got := r.state(id); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
	if want := []string{"p TestLabels/sqlite/D-03/second"}; !slices.Equal(r.failed, want) {
		t.Errorf("failed: got %q, want %q", r.failed, want)
	}
	if err := r.failure(nil); !strings.Contains(err.Error(), "got 1, want 2") {
		t.Errorf("the failure does not show what the test printed: %v", err)
	}
}

func TestReadRefusesNoise(t *testing.T) {
	t.Parallel()
	if r, err := read(strings.NewReader("FAIL\n")); err == nil {
		t.Errorf("got %v, want an error", r)
	}
}

func TestTallyAndRender(t *testing.T) {
	t.Parallel()
	r, err := read(strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	rows := []conformance.Row{
		{ID: "D-01", Kind: conformance.Defined, Area: "resources", Title: "a|b"},
		{ID: "D-02", Kind: conformance.Defined, Area: "resources", Title: "two"},
		{ID: "D-N1", Kind: conformance.Open, Area: "silent", Title: "one"},
		{ID: "D-N10", Kind: conformance.Open, Area: "silent", Title: "ten"},
	}
	counts := tally(rows, r, map[string]string{"labels": "- D-N10: so"})
	var short, page bytes.Buffer
	console(&short, counts)
	markdown(&page, counts)
	for _, want := range []string{
		"D labels       1 of   2 rows proved,  1 of  2 open questions decided", "without: D-02",
	} {
		if !strings.Contains(short.String(), want) {
			t.Errorf("the short form lacks %q:\n%s", want, short.String())
		}
	}
	for _, want := range []string{
		`| D-01 | resources | a\|b | proved |`, "| D-N1 | silent | one | open |", "| D-N10 | silent | ten | decided |",
		"| D | [labels](#d-labels) | 2 | 1 | 2 | 1 |",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	got := ranges([]string{"A-01", "A-02", "A-03", "A-05", "A-07", "A-08"})
	if want := []string{"A-01..03", "A-05", "A-07..08"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
