package execute

import (
	"errors"
	"fmt"
	"runtime"
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
		{name: "names", text: report(1, `<testcase name="`+long+`" file="`+long+`" classname="`+long+`"/>`),
			left: budget{cases: 1000, bytes: 1 << 20}, cases: 1},
		{name: "bytes", text: report(100, `<testcase/>`), left: budget{cases: 1000, bytes: 10_500}, cases: 5,
			bound: true},
		{name: "messages", text: report(100, `<testcase><failure message="`+long+`"/></testcase>`),
			left: budget{cases: 1000, bytes: 100_000}, cases: 6, bound: true},
		{name: "texts", text: report(100, `<testcase><failure>`+long+`</failure></testcase>`),
			left: budget{cases: 1000, bytes: 100_000}, cases: 6, bound: true},
		{name: "cases", text: report(100, `<testcase/>`), left: budget{cases: 7, bytes: 1 << 20}, cases: 7,
			bound: true},
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
					if len(word) > maxWord {
						t.Fatalf("a word of %d bytes, at most %d", len(word), maxWord)
					}
				}
			}
		})
	}
}

// TestJUnitPieces reads reports whose pieces are large: the server must not keep
// them whole.
func TestJUnitPieces(t *testing.T) {
	long := strings.Repeat("x &amp; ", 768<<10)
	for _, tc := range []struct {
		name, text, want string
		bad              bool
	}{
		{"attributes", `<testcase ` + strings.Repeat(`a="" `, 768<<10) + `name="n"/>`, "", true},
		{"an attribute", `<testcase name="` + long + `"/>`, "", false},
		{"many values", `<testcase ` + strings.Repeat(`a="`+long[:64<<10]+`" `, 100) + `name="n"/>`, "", false},
		{"a letter at the cut", `<testcase name="x` + strings.Repeat("é", 1<<20) +
			`"><failure message="m"/></testcase>`, "m", false},
		{"names", "<" + long + "/>", "", true},
		{"printed", `<testcase name="n"><system-out>` + long + `</system-out><failure message="m"/></testcase>`, "m",
			false},
		{"a CDATA section", `<testcase name="n"><system-out><![CDATA[` + long + "]] ]]>" +
			`</system-out><failure message="m"/></testcase>`, "m", false},
		{"a comment", `<testcase name="n"><!--` + long + `- --><failure message="m"/></testcase>`, "m", false},
		{"an entity at the cut", `<testcase name="n"><x>` + strings.Repeat("y", maxText-3) + `&quot;&quot;` + long +
			`</x><failure message="m"/></testcase>`, "m", false},
		{"marks within quotes", `<testcase name="a>b<c'd"><failure message='"m>'/></testcase>`, `"m>`, true},
		{"instructions", `<?xml version="1.0"?><?it's odd?><testcase name="n"><failure message="m"/></testcase>`, "m",
			false},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, err := readJUnit(strings.NewReader(tc.text), "x.xml", &budget{cases: 10, bytes: 1 << 20})
		runtime.ReadMemStats(&after)
		// Three megabytes are the attributes of the largest tag; a copy of a text has six.
		if made := after.TotalAlloc - before.TotalAlloc; made > 5<<20 {
			t.Errorf("%s: %d bytes made it allocate %d MiB", tc.name, len(tc.text), made>>20)
		}
		if tc.bad {
			if !errors.Is(err, errReport) {
				t.Errorf("%s: %d cases, %v, want errReport", tc.name, len(found), err)
			}
			continue
		}
		if err != nil || len(found) != 1 || found[0].Message != tc.want {
			t.Errorf("%s: %+v, %v, want the message %q", tc.name, found, err, tc.want)
		}
	}
}
