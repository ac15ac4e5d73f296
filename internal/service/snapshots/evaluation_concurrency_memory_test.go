package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// opened is a service on a server of its own.
func opened(t *testing.T) (*Service, *identitytest.Server) {
	t.Helper()
	var s *Service
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		s = New(w, identity, DefaultConfig())
		return s.Module()
	})
	return s, h
}

// A snapshot that was stored before its query was refused fails for good when it
// is drawn, and ends nothing else.
func TestStoredHostileSnapshotFails(t *testing.T) {
	t.Parallel()
	_, h := opened(t)
	now := h.Clock.Now().Unix()
	for i, r := range []GraphRequest{
		{MetricQuery: "promql:count_over_time(x[100y:1ms])"},
		{
			GraphDef: `{"requests":[{"queries":[{"name":"a","query":"avg:` + strings.Repeat("x", 9000) +
				`{*}"}],"formulas":[{"formula":"a` + strings.Repeat("+a", 9000) + `"}]}]}`,
		},
	} {
		r.Start, r.End, r.Width, r.Height, r.Scale = now-600, now, 600, 400, 1
		g := Graph{
			ID: fmt.Sprintf("%040d", i), Org: "u1", Path: fmt.Sprint(i), Request: r, State: Pending,
			Created: h.Clock.Now(),
		}
		if err := g.encode(); err != nil {
			t.Fatal(err)
		}
		err := h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			if err := insertGraphs(t.Context(), tx, []Graph{g}); err != nil {
				return err
			}
			_, err := h.World.Jobs.Enqueue(t.Context(), tx, jobs.Enqueue{
				Kind: renderKind, Payload: render{Digest: g.Digest}, Owner: g.Org,
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := graphByID(t.Context(), h.World.DB, g.ID)
		if err != nil || got.State != Failed || got.Reason == "" || got.Reason == "internal error" {
			t.Errorf("snapshot %d is %s because of %q, %v; want it failed with the reason", i, got.State, got.Reason,
				err)
		}
	}
}

// An owner has two places, whatever it sends, and does not hold up others.
func TestEvaluationsTakePlaces(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	ada, bob := Tenant{Org: "u1"}, Tenant{Org: "t2"}
	for range evaluationsPerOwner {
		e, err := s.evaluate(t.Context(), ada)
		if err != nil {
			t.Fatal(err)
		}
		defer e.release()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.evaluate(ctx, ada); !errors.Is(err, context.Canceled) {
		t.Errorf("a third evaluation: %v, want it to wait", err)
	}
	e, err := s.evaluate(t.Context(), bob)
	if err != nil {
		t.Fatalf("another owner: %v, want a place", err)
	}
	if err := e.reserve(1 << 20); err != nil || s.world.Memory.Used() != 1<<20 {
		t.Errorf("reserve = %v, used %d, want a mebibyte of the process's memory", err, s.world.Memory.Used())
	}
	e.release()
	if used := s.world.Memory.Used(); used != 0 {
		t.Errorf("%d bytes are still taken", used)
	}
	if ada.owner() != budget.Caller("user:1") {
		t.Error("a user's evaluations must use the share of the user's requests")
	}
}

func FuzzDefinition(f *testing.F) {
	fuzztest.Strings(f,
		`{"viz":"timeseries","requests":[{"q":"avg:m{*} by {host}","type":"area","style":{"palette":"warm"}}],`+
			`"yaxis":{"min":"0","scale":"log"},"markers":[{"value":"0 < y < 3"}]}`,
		`{"requests":[{"queries":[{"name":"a","query":"m{*}"}],"formulas":[{"formula":"a+a+a","alias":"x"}]}],`+
			`"events":[{"q":"tags:a,b x"}]}`,
		`{"viz":"toplist","requests":[{"q":"promql:up","conditional_formats":[{"comparator":">","value":1,`+
			`"palette":"white_on_red"}]}]}`,
		`{"requests":[{"queries":[{"name":"a","query":"avg:xxxxxxxxxxxxxxxx{*}"}],`+
			`"formulas":[{"formula":"`+strings.Repeat("a+", 4000)+`a"}]}]}`,
		`{"requests":[{"q":"m{*}"}],"yaxis":{"filter":{"top":"5%","bottom":3}}}`, `{}`, `[`,
	)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := makePlan(GraphRequest{GraphDef: text, Start: 1, End: 3600, Width: 600, Height: 400, Scale: 1})
		var bad *Error
		if err != nil && (!errors.As(err, &bad) || len(bad.Message) > 8<<10) {
			t.Fatalf("%T %v, want a short *Error", err, err)
		}
		if text == "" && err == nil {
			return
		}
	})
}

func FuzzSubmissions(f *testing.F) {
	for _, text := range []string{
		`{"series":[{"metric":"m","points":[[1,2],["3","4"]],"tags":["a:b"],"type":"count","interval":10}]}`,
		`{"series":[{"metric":"m","type":3,"points":[{"timestamp":1,"value":2}],"resources":[{"name":"h",` +
			`"type":"host"}]}]}`,
		`{"series":[{"metric":"m","points":[[1,[1,2,-3,0]]]}]}`, `[{"check":"c","status":1,"timestamp":-1}]`,
		`{"series":[{},{},{}]}`, `{"series":[{"points":[[1e999,[]]]}]}`, `{"title":"x","tags":[""]}`, `null`,
	} {
		fuzztest.Bytes(f, []byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var one seriesV1Request
		var two seriesV2Request
		var three distributionRequest
		var four []checkRun
		for _, read := range []func() (submission, error){
			func() (submission, error) { _ = json.Unmarshal(b, &one); return one.fromWire(0) },
			func() (submission, error) { _ = json.Unmarshal(b, &two); return two.fromWire(0) },
			func() (submission, error) { _ = json.Unmarshal(b, &three); return three.fromWire(0) },
			func() (submission, error) { _ = json.Unmarshal(b, &four); return checksFromWire(four, 1, 0) },
		} {
			in, err := read()
			var bad *Error
			if err != nil && !errors.As(err, &bad) {
				t.Fatalf("%T %v, want an *Error", err, err)
			}
			for _, s := range in.series {
				if len(s.Tags) > 100 || s.Metric == "" {
					t.Fatalf("%+v was taken", s)
				}
			}
		}
	})
}

// Equal requests of two owners are two jobs: neither waits in the queue of the
// other. Beyond the bound of an owner its requests are refused, and no other's.
func TestRendersPerOwner(t *testing.T) {
	t.Parallel()
	s, h := opened(t)
	ctx, now := t.Context(), h.Clock.Now().Unix()
	r := GraphRequest{MetricQuery: "avg:system.cpu.user{*}", Start: now - 600, End: now}
	take := func(t *testing.T, org string, r GraphRequest) error {
		_, err := s.TakeSnapshot(ctx, Tenant{Org: org}, "", r)
		return err
	}
	for _, org := range []string{"u1", "u2", "u1"} {
		if err := take(t, org, r); err != nil {
			t.Fatal(err)
		}
	}
	for _, org := range []string{"u1", "u2"} {
		n, err := database.One(ctx, h.World.DB, func(s database.Scanner) (n int64, err error) { return n, s.Scan(&n) },
			`SELECT COUNT(*) FROM stoa_jobs WHERE kind = $1 AND owner = $2`, renderKind, org)
		if err != nil || n != 1 {
			t.Errorf("%s has %d jobs, %v, want one", org, n, err)
		}
	}
	err := h.World.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for range maxRenders - 1 {
			if _, err := h.World.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
				Kind: renderKind, Payload: render{}, Owner: "u1",
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	other := r
	other.Title = "another"
	var full *limit.Exceeded
	if err := take(t, "u1", other); !errors.As(err, &full) || full.Limit != maxRenders {
		t.Errorf("one more: %v, want *limit.Exceeded of %d", err, maxRenders)
	} else if got := exceededMessage(full); !strings.Contains(got, "wait to be drawn") {
		t.Errorf("the refusal says %q", got)
	}
	if err := take(t, "u1", r); err != nil {
		t.Errorf("one that joins: %v", err)
	}
	if err := take(t, "u2", other); err != nil {
		t.Errorf("another owner: %v", err)
	}
	// One refusal of a batch is no matter of the rest of it.
	batch := make([]pendingSnapshot, 2)
	for i, org := range []string{"u1", "u2"} {
		batch[i].graph = Graph{
			ID: fmt.Sprintf("%040d", i), Org: org, Path: fmt.Sprint("batch", i), Request: other, Created: h.Clock.Now(),
		}
		if err := batch[i].graph.encode(); err != nil {
			t.Fatal(err)
		}
	}
	refused, err := s.storeGraphs(ctx, batch)
	if err != nil || refused[batch[0].graph.Digest] == nil || refused[batch[1].graph.Digest] != nil {
		t.Errorf("a batch: refused %v, %v, want the first alone", refused, err)
	}
	if _, err := graphByID(ctx, h.World.DB, batch[0].graph.ID); err == nil {
		t.Error("a refused snapshot was stored")
	}
	if _, err := graphByID(ctx, h.World.DB, batch[1].graph.ID); err != nil {
		t.Errorf("the admitted snapshot: %v", err)
	}
}

// What is known about metrics goes with their points, and stays while they are
// submitted.
func TestMetricsAreForgotten(t *testing.T) {
	t.Parallel()
	s, h := opened(t)
	ctx := t.Context()
	ada := Tenant{Org: "u1"}
	submit := func(names ...string) {
		t.Helper()
		in := submission{meta: map[string]query.Meta{}}
		for _, name := range names {
			in.meta[name] = query.Meta{Type: query.Gauge, Unit: "byte"}
		}
		if _, err := s.Submit(ctx, ada, in); err != nil {
			t.Fatal(err)
		}
	}
	submit("old", "used")
	for range 100 {
		h.Clock.Advance(24 * time.Hour)
		submit("used")
	}
	if err := s.runSweep(ctx, jobs.Job{}, sweep{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"old": "", "used": "byte"} {
		if got, err := metadataByName(ctx, h.World.DB, "u1", name); err != nil || got.Unit != want {
			t.Errorf("%s has unit %q, %v, want %q", name, got.Unit, err, want)
		}
	}
	// A process that remembers a metric writes it again when it is back.
	submit("old")
	if got, err := metadataByName(ctx, h.World.DB, "u1", "old"); err != nil || got.Unit != "byte" {
		t.Errorf("old has unit %q, %v after it is back, want byte", got.Unit, err)
	}
}
