package app_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

// TestWorldsWithoutListeners builds two worlds of one process that another handler
// leads to: each has its own address and clock, and neither takes a port.
func TestWorldsWithoutListeners(t *testing.T) {
	memory := budget.New(budget.MemoryOptions(0))
	for n, prefix := range []string{"http://127.0.0.1:1/w/one", "http://127.0.0.1:1/w/two"} {
		c := config(t)
		// An address that cannot be taken shows that it is not asked for.
		c.BaseURL, c.Listen.HTTP = prefix, "192.0.2.1:1"
		begin := time.Date(2026+n, time.March, 2, 9, 0, 0, 0, time.UTC)
		a, err := app.New(t.Context(), app.Options{
			Config: c, Clock: clock.NewVirtual(begin), IDs: ids.Seeded(1), Memory: memory, NoHTTP: true, Bind: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := a.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if want := prefix + "/docs/services/tasks"; w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d %s, want links below %s", w.Code, w.Body, prefix)
		}
		if got := a.World().Clock.Now(); !got.Equal(begin) || a.World().Memory != memory || a.URL() != prefix {
			t.Errorf("now %v, address %s; want its own clock and address, and the process's memory", got, a.URL())
		}
	}
}
