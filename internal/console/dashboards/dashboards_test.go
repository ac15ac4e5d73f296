package dashboards_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"stoa.dev/stoa/internal/console/dashboards"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route"
)

// pool is immutable once TestMain has begun.
var pool = databasetest.NewPool(dashboards.Migrations())

func TestMain(m *testing.M) { os.Exit(pool.Main(m).Run()) }

// TestStore keeps graphs in the order in which they came, for their user alone.
func TestStore(t *testing.T) {
	t.Parallel()
	pool.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := dashboards.NewStore(db, clock.NewVirtual(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)), ids.Random())
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		d, err := s.Make(ctx, 7, " Hosts ")
		must(err)
		for n := range 24 {
			must(s.Add(ctx, 7, d.ID, dashboards.Graph{Query: fmt.Sprintf("avg:m%d{*}", n), Span: "1h"}))
		}
		var problem *dashboards.Problem
		if err := s.Add(ctx, 7, d.ID, dashboards.Graph{Query: "q", Span: "1h"}); !errors.As(err, &problem) {
			t.Errorf("one graph too many: %v", err)
		}
		got, graphs, err := s.Get(ctx, 7, d.ID)
		must(err)
		if got.Title != "Hosts" || len(graphs) != 24 || graphs[0].Query != "avg:m0{*}" || graphs[23].Query != "avg:m23{*}" {
			t.Errorf("%+v %+v", got, graphs)
		}
		must(s.Remove(ctx, 7, d.ID, graphs[0].ID))
		must(s.Add(ctx, 7, d.ID, dashboards.Graph{Title: "Last", Query: "q", Span: "7d"}))
		_, graphs, err = s.Get(ctx, 7, d.ID)
		must(err)
		if len(graphs) != 24 || graphs[0].Query != "avg:m1{*}" || graphs[23].Title != "Last" {
			t.Errorf("%+v", graphs)
		}

		for name, err := range map[string]error{
			"no title": errOf(s.Make(ctx, 7, " ")), "no query": s.Add(ctx, 7, d.ID, dashboards.Graph{Span: "1h"}),
			"no span": s.Add(ctx, 7, d.ID, dashboards.Graph{Query: "q", Span: "9y"}),
		} {
			if !errors.As(err, &problem) {
				t.Errorf("%s: %v, want a problem", name, err)
			}
		}
		_, _, another := s.Get(ctx, 8, d.ID)
		for name, err := range map[string]error{
			"get": another, "add": s.Add(ctx, 8, d.ID, dashboards.Graph{Query: "q", Span: "1h"}),
			"remove": s.Remove(ctx, 8, d.ID, graphs[0].ID),
		} {
			if !errors.Is(err, route.ErrNoRoute) {
				t.Errorf("%s by another user: %v, want ErrNoRoute", name, err)
			}
		}
		must(s.Delete(ctx, 8, d.ID))
		if _, graphs, err := s.Get(ctx, 7, d.ID); err != nil || len(graphs) != 24 {
			t.Errorf("another user deleted it: %v", err)
		}
		must(s.Delete(ctx, 7, d.ID))
		if list, err := s.List(ctx, 7); err != nil || len(list) != 0 {
			t.Errorf("%v %v", list, err)
		}
	})
}

func errOf(_ dashboards.Dashboard, err error) error { return err }
