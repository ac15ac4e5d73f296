package queryparams_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
)

func of(query string) *queryparams.Query {
	return queryparams.New(&route.Request{Request: httptest.NewRequest("GET", "/?"+query, nil)})
}

func TestQuery(t *testing.T) {
	t.Parallel()
	q := of("a=true&n=7&many=9999&at=2026-03-01T10:00:00.5%2B01:00&z=Europe/Athens&pageToken=p")
	if !q.Flag("a") || q.Flag("b") || !q.Has("a") || q.Has("b") {
		t.Error("flags are read wrong")
	}
	if q.Number("n", 1, 10) != 7 || q.Number("many", 1, 10) != 10 || q.Number("none", 1, 10) != 1 {
		t.Error("numbers are read wrong")
	}
	if got := q.Moment("at"); !got.Equal(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("the time is %v", got)
	}
	if z := q.Zone("z"); z == nil || z.String() != "Europe/Athens" || q.Zone("none") != nil {
		t.Errorf("the zone is %v", z)
	}
	if page := q.Page(queryparams.DefaultPageSize, queryparams.MaxPageSize); page.PageToken != "p" || page.Size != 100 {
		t.Errorf("the page is %+v", page)
	}
	if q.Err() != nil {
		t.Error(q.Err())
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for query, read := range map[string]func(*queryparams.Query){
		"x=maybe":      func(q *queryparams.Query) { q.Flag("x") },
		"x=0":          func(q *queryparams.Query) { q.Number("x", 1, 2) },
		"x=2026-03-01": func(q *queryparams.Query) { q.Moment("x") },
		"x=Nowhere/At": func(q *queryparams.Query) { q.Zone("x") },
	} {
		q := of(query)
		read(q)
		if q.Err() == nil {
			t.Errorf("%s is accepted", query)
		}
	}
}
