package explain_test

import (
	"testing"

	"stoa.dev/stoa/internal/platform/journal/explain"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	var none explain.Headers
	says := explain.Headers(func(h map[string][]string) string { return h["A"][0] })
	header := map[string][]string{"A": {"more"}}
	if got := none.Refusal(401, "why", header); got != "why" {
		t.Errorf("got %q", got)
	}
	for status, want := range map[int]string{401: "why; more", 403: "why; more", 404: "why"} {
		if got := says.Refusal(status, "why", header); got != want {
			t.Errorf("%d: got %q, want %q", status, got, want)
		}
	}
}
