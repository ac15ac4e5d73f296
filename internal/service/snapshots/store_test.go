package snapshots

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/snapshots/query"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

func sets() database.Migrations { return (&Service{}).migrations() }

func day() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

func TestStoreGraphs(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		want := Graph{
			ID: "a1", Org: "u7", Digest: "d1", Path: "main/org_7/2026-03-02/a1", State: Pending, Created: day(),
			Expires: day().Add(time.Hour),
			Request: GraphRequest{
				MetricQuery: "avg:m{*}", Title: "Ω ‘quoted’", Start: 1, End: 2, Width: 300, Height: 185, Scale: 1.5,
			},
		}
		stored := func(g Graph) []Graph {
			b, err := json.Marshal(g.Request)
			if err != nil {
				t.Fatal(err)
			}
			g.encoded = b
			return []Graph{g}
		}
		if err := insertGraphs(ctx, db, stored(want)); err != nil {
			t.Fatal(err)
		}
		if err := insertGraphs(ctx, db, stored(want)); !errors.Is(err, database.ErrUnique) {
			t.Errorf("the same id twice: %v, want ErrUnique", err)
		}
		forever := want
		forever.ID, forever.Expires = "b2", time.Time{}
		if err := insertGraphs(ctx, db, stored(forever)); err != nil {
			t.Fatal(err)
		}
		got, err := graphByID(ctx, db, "a1")
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Graph{})); err != nil || diff != "" {
			t.Errorf("graph: %v (-want +got):\n%s", err, diff)
		}
		if waits, err := waitingGraph(ctx, db, "d1"); err != nil || waits.Digest != "d1" {
			t.Errorf("waiting = %+v, %v, want one of the two", waits, err)
		}
		// The state changes once, which comes second does not matter.
		read, err := waitingGraph(ctx, db, "d1")
		if err != nil {
			t.Fatal(err)
		}
		// Who asks while the picture is drawn waits for another one: there may be new points.
		later := want
		later.ID, later.Created, later.Expires = "c3", day().Add(time.Millisecond), time.Time{}
		if err := insertGraphs(ctx, db, stored(later)); err != nil {
			t.Fatal(err)
		}
		for _, end := range []State{Ready, Failed} {
			if err := finishGraphs(ctx, db, read, end, "hash-"+string(end), string(end)); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ = graphByID(ctx, db, "a1"); got.State != Ready || got.SHA256 != "hash-ready" {
			t.Errorf("state = %s with %s, want ready with its hash", got.State, got.SHA256)
		}
		if waits, err := waitingGraph(ctx, db, "d1"); err != nil || waits.ID != "c3" {
			t.Errorf("waiting after the end: %+v, %v, want the one that came later", waits, err)
		}
		if _, err := waitingGraph(ctx, db, "of nothing"); !refusal.IsMissing(err) {
			t.Errorf("waiting for no picture: %v, want not found", err)
		}
		for i, want := range []State{Pending, Failed} {
			if err := failForgotten(ctx, db, later.Created.Add(time.Duration(i)*time.Second)); err != nil {
				t.Fatal(err)
			}
			if got, err := graphByID(ctx, db, "c3"); err != nil || got.State != want {
				t.Errorf("asked for %d s ago: %s, %v, want %s", i, got.State, err, want)
			}
		}
		for _, want := range []int64{1, 0} {
			if n, err := deleteExpired(ctx, db, day().Add(time.Hour), 1); err != nil || n != want {
				t.Fatalf("one at a time: %d of the expired are gone (%v), want %d", n, err, want)
			}
		}
		if _, err := graphByID(ctx, db, "a1"); !refusal.IsMissing(err) {
			t.Errorf("after expiry: %v, want not found", err)
		}
		if got, err := graphByID(ctx, db, "b2"); err != nil || !got.Expires.IsZero() {
			t.Errorf("without an end: %v, %v, want it kept", got.Expires, err)
		}
	}, sets())
}

// However many are written at once, each arrives as it was.
func TestStoreManyGraphs(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		for _, n := range []int{1, 3, 4, 7, 8, 21} {
			var list []Graph
			for i := range n {
				id := fmt.Sprintf("%d-%d", n, i)
				g := Graph{
					ID: id, Org: "o" + id, Digest: "d" + id, Path: "p" + id, State: Pending,
					Created: day().Add(time.Duration(i) * time.Second),
					Request: GraphRequest{Title: id, Start: int64(i)},
				}
				if err := g.encode(); err != nil {
					t.Fatal(err)
				}
				list = append(list, g)
			}
			if err := insertGraphs(t.Context(), db, list); err != nil {
				t.Fatal(err)
			}
			for _, want := range list {
				got, err := graphByID(t.Context(), db, want.ID)
				want.encoded = nil
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(Graph{})); err != nil || diff != "" {
					t.Errorf("%d at once: %v (-want +got):\n%s", n, err, diff)
				}
			}
		}
	}, sets())
}

func TestStoreMetadata(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		for _, m := range []query.Meta{{Type: query.Gauge, Unit: "byte"}, {Type: query.Count, Interval: 10}} {
			if err := upsertMetadata(ctx, db, "u1", "m", m, day()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := metadataByName(ctx, db, "u1", "m")
		if want := (query.Meta{Type: query.Count, Interval: 10, Unit: "byte"}); err != nil || got.Meta != want ||
			!got.seen.Equal(day()) {
			t.Errorf("metadata = %+v, %v, want %+v: the unit outlives silence about it", got, err, want)
		}
		edited := MetricMetadata{Meta: query.Meta{Type: query.Rate, Unit: "request/second"}, Description: "d", ShortName: "s"}
		if known, err := updateEdited(ctx, db, "u1", "m", edited); err != nil || !known {
			t.Errorf("edit: %v, %v", known, err)
		}
		if known, err := updateEdited(ctx, db, "u2", "m", edited); err != nil || known {
			t.Errorf("edit of another's metric: %v, %v", known, err)
		}
		got, err = metadataByName(ctx, db, "u1", "m")
		if want := (query.Meta{Type: query.Rate, Interval: 10, Unit: "request/second"}); err != nil || got.Meta != want ||
			got.edited != edited {
			t.Errorf("edited = %+v, %v, want %+v", got, err, want)
		}
		if got, err := metadataByName(ctx, db, "u2", "m"); err != nil || got != (knownMetric{}) {
			t.Errorf("another organization sees %+v, %v, want nothing", got, err)
		}
	}, sets())
}
