package tasks

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzQuery: a filter is read or refused, and what is read can be stored.
func FuzzQuery(f *testing.F) {
	fuzztest.Strings(f,
		"dueMin=2026-03-01T00:00:00Z&showHidden=true", "maxResults=9223372036854775808", "maxResults=-1",
		"completedMin=0000-00-00", "updatedMin=9999-12-31T23:59:59.999999999%2B23:59",
		"showDeleted=yes", "dueMax="+strings.Repeat("9", 300),
	)
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		if n, err := readSize(values, defaultTaskPage, maxTaskPage); err == nil && (n < 1 || n > maxTaskPage) {
			t.Errorf("%q: a page of %d", query, n)
		}
		filter, err := readFilter(values)
		if err != nil {
			return
		}
		for _, at := range []time.Time{filter.DueMin, filter.DueMax, filter.CompletedMin, filter.UpdatedMin} {
			if at.UTC().Year() < 0 || at.UTC().Year() > 10000 {
				t.Errorf("%q: the year %d", query, at.UTC().Year())
			}
		}
	})
}

// FuzzRank: a rank between two others sorts between them.
func FuzzRank(f *testing.F) {
	fuzztest.Add(f, "", "")
	fuzztest.Add(f, spacedRank(1), spacedRank(2))
	fuzztest.Add(f, spacedRank(7), "")
	f.Fuzz(func(t *testing.T, low, high string) {
		left, right := spacedRank(len(low)), spacedRank(len(low)+1+len(high))
		if got := rankBetween(left, right, noEdge); got <= left || got >= right {
			t.Errorf("between %q and %q: %q", left, right, got)
		}
	})
}
