package operation_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/operation"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"7": 7, "0": 0, "-1": 0, "+1": 0, "x": 0, "": 0, "9223372036854775807": 1<<63 - 1, "9223372036854775808": 0,
	} {
		r := &route.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
		r.SetPathValue("number", text)
		got, err := operation.Number(r, "number")
		if got != want || (err != nil) != (want == 0) {
			t.Errorf("%q: %d %v, want %d", text, got, err, want)
		}
	}
}
