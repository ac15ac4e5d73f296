package search

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

func FuzzQuery(f *testing.F) {
	fuzztest.Strings(f, "go", `"a b" -c OR title:x`, "created:>=2026-01 stocks:>3", "東京 tag:c++", `user:a sort:stocks`,
		"-", `"`, "a:b:c")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		for n := range q.groups {
			q.groups[n].addFacet(itemFacet, false)
		}
		for _, engine := range []engine{sqliteEngine{}, postgresEngine{}} {
			// A word that held a quote would end its quotes.
			e := engine.expression(q.groups)
			if strings.ContainsAny(strings.NewReplacer(`"`, "", "'", "").Replace(e), "\\\x00;") {
				t.Errorf("%q becomes %q", text, e)
			}
		}
	})
}
