package pipelines_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// BenchmarkList asks for a list of thirty jobs that did not change.
func BenchmarkList(b *testing.B) {
	c := pipelines.DefaultConfig()
	c.Concurrency = 0
	c.Requests.Burst, c.Requests.Sustained = 1<<40, 1<<40
	h := open(b, "", c, newGates())
	r := h.repo(b, "ada", "stoa", false)
	h.push(b, r, "main", config(false, "build"), "one")
	for range 30 {
		if _, err := h.service.Trigger(b.Context(), r, pipelines.TriggerOptions{}, h.actor("ada"),
			build.WhyAPI); err != nil {
			b.Fatal(err)
		}
	}
	request := httptest.NewRequest(http.MethodGet, "/api/v1.1/project/vcs_a/ada/stoa", nil)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+h.Token("ada"))
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		h.Module.Handler.ServeHTTP(w, request.Clone(b.Context()))
		if w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}
