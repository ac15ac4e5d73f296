package identitytest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Purge is what a service remembers of deleted objects, and for how long.
type Purge struct {
	Path, Body string // makes an object, which DELETE below the path deletes
	Table      string
	Life       time.Duration
}

// Benchmark compares how fast sixteen clients delete objects with how fast the purge removes their rows afterwards,
// which has to be faster: nothing slows the clients down for it.
func (p Purge) Benchmark(b *testing.B, build Build) {
	const clients, each = 16, 125
	h := Open(b, build, "")
	bearer := "Authorization: Bearer " + h.Token("ada")
	target := "https://localhost" + p.Path
	var deleting, purging time.Duration
	real := clock.Real() // the machine is measured
	for b.Loop() {
		var ids [clients][each]string
		for c := range clients {
			for n := range each {
				ids[c][n] = h.made(target, p.Body, bearer)
			}
		}
		began := real.Now()
		var group sync.WaitGroup
		for _, own := range ids {
			group.Go(func() {
				for _, id := range own {
					if w := h.Call("DELETE", target+"/"+id, "", bearer); w.Code != 204 {
						b.Errorf("%d %s", w.Code, w.Body)
					}
				}
			})
		}
		group.Wait()
		deleting += real.Now().Sub(began)
		h.Clock.Advance(p.Life + 25*time.Hour)
		began = real.Now()
		if err := h.World.Jobs.Settle(b.Context()); err != nil {
			b.Fatal(err)
		}
		purging += real.Now().Sub(began)
		var left int64
		if err := h.World.DB.QueryRow(b.Context(), "SELECT COUNT(*) FROM "+p.Table).Scan(&left); err != nil || left != 0 {
			b.Fatalf("%d rows are left, %v", left, err)
		}
	}
	rows := float64(b.N) * clients * each
	b.ReportMetric(rows/deleting.Seconds(), "deleted/s")
	b.ReportMetric(rows/purging.Seconds(), "purged/s")
}

// made is the id of what a body makes.
func (h *Server) made(target, body, bearer string) string {
	h.t.Helper()
	var object struct{ ID string }
	w := h.Call("POST", target, body, bearer, "Content-Type: application/json")
	if err := json.Unmarshal(w.Body.Bytes(), &object); err != nil || object.ID == "" {
		h.t.Fatal(fmt.Errorf("%d %s: %w", w.Code, w.Body, err))
	}
	return object.ID
}
