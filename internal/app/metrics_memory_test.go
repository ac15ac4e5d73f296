package app_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
)

// TestMetricsAreWeighed: answers with metrics, which need no credential, come out of the
// memory that all requests share.
func TestMetricsAreWeighed(t *testing.T) {
	t.Parallel()
	a := start(t, config(t), false)
	status, text := get(t, a.URL()+"/metrics", "")
	if status != http.StatusOK || !strings.Contains(text, "stoa_build_info") {
		t.Fatalf("%d %.200s", status, text)
	}
	memory, network := a.World().Memory, budget.Address("127.0.0.1")
	grant, err := memory.Take(t.Context(), network, memory.Max(network))
	if err != nil {
		t.Fatal(err)
	}
	status, text = get(t, a.URL()+"/metrics", "")
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "busy") {
		t.Errorf("with all memory of the network taken: %d %.200s, want 503", status, text)
	}
	if status, _ := get(t, a.URL()+"/healthz", ""); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	grant.Release()
	if status, _ := get(t, a.URL()+"/metrics", ""); status != http.StatusOK || memory.Used() != 0 {
		t.Errorf("afterwards: %d, %d bytes are held", status, memory.Used())
	}
}
