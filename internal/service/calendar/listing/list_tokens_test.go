package listing

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// TestPages: a list of five rows is read in pages of two, then synchronized.
func TestPages(t *testing.T) {
	t.Parallel()
	box, err := seal.Open(t.TempDir(), "", ids.Seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	at := clock.NewVirtual(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	tokens := New(page.NewSealer(box.Derive("pages")), at, time.Hour)
	rows := []int64{1, 2, 3, 4, 5}
	r := Request{Bind: "events a", Filters: Filters(url.Values{"q": {"x"}, "pageToken": {"y"}}), Size: 2}
	var seen []int64
	for {
		c, err := tokens.Open(r)
		if err != nil {
			t.Fatal(err)
		}
		c.Seq = 5
		cut, nextPage, nextSync := Paginate(tokens, r, c, rows[c.After:], func(n int64) int64 { return n })
		seen = append(seen, cut...)
		if r.PageToken = nextPage; nextPage == "" {
			r.SyncToken = nextSync
			break
		}
	}
	if len(seen) != 5 || seen[4] != 5 {
		t.Errorf("the pages have %v, want all rows", seen)
	}
	if c, err := tokens.Open(r); err != nil || !c.Sync || c.Since != 5 || c.After != 5 {
		t.Errorf("the sync begins at %+v, %v, want 5", c, err)
	}
	at.Advance(2 * time.Hour)
	var refused *refusal.Error
	if _, err := tokens.Open(r); !errors.As(err, &refused) || refused.Code != refusal.CodeFullSync {
		t.Errorf("an old sync token: got %v, want fullSyncRequired", err)
	}
}
