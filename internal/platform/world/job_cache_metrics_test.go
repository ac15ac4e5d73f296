package world_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/world"
)

func TestCachesAmongTheMetrics(t *testing.T) {
	tel := telemetry.Nop()
	w := open(t, world.Options{Dir: t.TempDir(), Telemetry: tel})
	cache := memo.New(1<<20, func(string, int) int { return 8 })
	w.ShowCache("test.numbers", cache.Stats)
	// Another of the same name does not hide it.
	w.ShowCache("test.numbers", memo.NewCounted[string, int](1).Stats)
	cache.Put("one", 1)
	cache.Get("one")
	cache.Get("one")
	cache.Get("two")
	page := metrics(tel)
	for _, want := range []string{
		"# TYPE stoa_cache_hits_total counter",
		`stoa_cache_hits_total{cache="test.numbers"} 2`,
		`stoa_cache_misses_total{cache="test.numbers"} 1`,
		`stoa_cache_entries{cache="test.numbers"} 1`,
		`stoa_cache_bytes{cache="test.numbers"} `,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(metrics(tel), "stoa_cache") {
		t.Error("a closed world shows its caches")
	}
}

func metrics(tel *telemetry.Telemetry) string {
	page := httptest.NewRecorder()
	tel.Handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return page.Body.String()
}
