package locations

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/wire"
)

// A list of locations gives one item for each, of which some may be in error.
func FuzzLocations(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte(`{"locations":[{"locationId":"a","name":"x","lat":"y"},{},null,3]}`),
		[]byte(`[{"name":1},{"openInfo":{"openingDate":{"year":99999}}}]`),
		[]byte(` [ ]`), []byte(`{"locations":null}`), []byte(`{"locations":{}}`), []byte(`[[[[[[]]]]]]`), []byte(`[`),
	)
	f.Fuzz(func(t *testing.T, body []byte) {
		items, err := readItems(httptest.NewRequest("PUT", "/", bytes.NewReader(body)))
		var syntax *wire.SyntaxError
		if err != nil && !errors.As(err, &syntax) && !errors.Is(err, wire.ErrEmptyBody) {
			t.Errorf("%q: got %T %v, want a *SyntaxError", body, err, err)
		}
		if len(items) > len(body) {
			t.Errorf("%d bytes gave %d items", len(body), len(items))
		}
	})
}
