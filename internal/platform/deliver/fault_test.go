package deliver_test

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/seal"
)

// TestFaults checks that a dropped message is sent again, a delayed one later, and a
// duplicated one as often as it is said.
func TestFaults(t *testing.T) {
	t.Parallel()
	databases.Run(t, func(t *testing.T, db *database.DB) {
		r := delivertest.NewReceiver(t)
		box, err := seal.Open(t.TempDir(), "", ids.Random())
		if err != nil {
			t.Fatal(err)
		}
		plan := map[string][]deliver.Fault{
			"/drop": {{Drop: true}}, "/copies": {{Copies: 3}}, "/delay": {{Delay: time.Hour}},
		}
		w := &world{t: t, db: db, clock: clock.NewVirtual(epoch()), box: box}
		w.queue = jobs.New(jobs.Options{DB: db, Clock: w.clock, IDs: ids.Random(), Poll: 50 * time.Millisecond})
		w.Engine = deliver.New(deliver.Options{
			DB: db, Jobs: w.queue, Clock: w.clock, IDs: ids.Random(), Seal: box, Client: newClient(t, r.Config, nil),
			Fault: func(_ deliver.Delivery, m deliver.Request) (f deliver.Fault) {
				path := m.URL[strings.LastIndex(m.URL, "/"):]
				if list := plan[path]; len(list) > 0 {
					f, plan[path] = list[0], list[1:]
				}
				return f
			},
		})
		w.queue.Register(w.Jobs()...)
		for _, row := range []struct {
			path           string
			first, in      int // requests at once, and after two hours
			attemptsAtOnce int
		}{{"/drop", 0, 1, 1}, {"/copies", 3, 3, 1}, {"/delay", 0, 1, 0}} {
			before := len(r.Requests())
			id := w.enqueue(deliver.Message{Service: "test", URL: r.URL + row.path, Method: "POST"})[0]
			w.settle()
			if got := len(r.Requests()) - before; got != row.first || w.get(id).Attempts != row.attemptsAtOnce {
				t.Errorf("%s: %d requests and %+v, want %d at once", row.path, got, w.get(id), row.first)
			}
			w.advance(2 * time.Hour)
			if got := len(r.Requests()) - before; got != row.in || w.get(id).State != deliver.Delivered {
				t.Errorf("%s: %d requests and %+v, want %d in the end", row.path, got, w.get(id), row.in)
			}
		}
	})
}
