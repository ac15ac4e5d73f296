package execute

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestJUnitBounds reads reports that repeat or bring more than is kept.
func TestJUnitBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1<<16)
	report := func(cases int, inner string) string {
		return fmt.Sprintf(`<testsuite name="%s">%s</testsuite>`, long, strings.Repeat(inner, cases))
	}
	for _, tc := range []struct {
		name, text string
		left       budget
		cases      int
		bound      bool
	}{
		{name: "words", text: report(100, `<testcase/>`), left: budget{cases: 1000, bytes: 1 << 20}, cases: 100},
		{name: "names", text: report(1, `<testcase name="`+long+`" file="`+long+`" classname="`+long+`"/>`), left: budget{cases: 1000, bytes: 1 << 20}, cases: 1},
		{name: "bytes", text: report(100, `<testcase/>`), left: budget{cases: 1000, bytes: 10_500}, cases: 5, bound: true},
		{name: "messages", text: report(100, `<testcase><failure message="`+long+`"/></testcase>`), left: budget{cases: 1000, bytes: 100_000}, cases: 6, bound: true},
		{name: "texts", text: report(100, `<testcase><failure>`+long+`</failure></testcase>`), left: budget{cases: 1000, bytes: 100_000}, cases: 6, bound: true},
		{name: "cases", text: report(100, `<testcase/>`), left: budget{cases: 7, bytes: 1 << 20}, cases: 7, bound: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			left := tc.left
			found, err := readJUnit(strings.NewReader(tc.text), strings.Repeat("s", 5000)+".xml", &left)
			if errors.Is(err, errBound) != tc.bound || len(found) != tc.cases {
				t.Errorf("%d cases, %v; want %d, bound %v", len(found), err, tc.cases, tc.bound)
			}
			for _, c := range found {
				for _, word := range []string{c.Name, c.Class, c.File, c.Source} {
					if len(word) > mostWord {
						t.Fatalf("a word of %d bytes, at most %d", len(word), mostWord)
					}
				}
			}
		})
	}
}
