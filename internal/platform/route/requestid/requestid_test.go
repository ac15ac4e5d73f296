package requestid_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route/requestid"
)

// TestOf checks that only names that can be repeated are.
func TestOf(t *testing.T) {
	t.Parallel()
	for given, kept := range map[string]bool{
		"a-B_3.x": true, "": false, "a b": false, "a/b": false, strings.Repeat("x", 65): false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("X-Request-Id", given)
		got := requestid.Of(r, ids.Seeded(1))
		if (got == given) != kept || !kept && len(got) != 32 {
			t.Errorf("%q is named %q", given, got)
		}
	}
}
