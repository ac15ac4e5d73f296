package listing

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/seal"
)

// FuzzTokens: a token that this server did not make is refused.
func FuzzTokens(f *testing.F) {
	box, err := seal.Open(f.TempDir(), "", ids.Seeded(1))
	if err != nil {
		f.Fatal(err)
	}
	tokens := New(page.NewSealer(box.Derive("pages")), clock.Real(), time.Hour)
	own := tokens.Page(Request{Bind: "events a"}, Cursor{After: 7})
	fuzztest.Add(f, own, "events b")
	fuzztest.Add(f, own[:len(own)-1], "events a")
	fuzztest.Add(f, "", "")
	fuzztest.Add(f, strings.Repeat("A", 5000), "events a")
	f.Fuzz(func(t *testing.T, token, bind string) {
		if token == "" || token == own && bind == "events a" {
			return
		}
		if _, err := tokens.Open(Request{Bind: bind, PageToken: token}); err == nil {
			t.Errorf("page token %q is accepted for %q", token, bind)
		}
		if _, err := tokens.Open(Request{Bind: bind, SyncToken: token}); err == nil {
			t.Errorf("sync token %q is accepted for %q", token, bind)
		}
	})
}
