//go:build !small

package metrics

import (
	"encoding/json"
	"math"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// The answer of a backend gives points within what was asked for.
func FuzzRemoteAnswer(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte(`{"result":[{"metric":{"__name__":"m","host":"a,b"},"values":[[1.5,"2"],[2,"NaN"],[3,"+Inf"]]}]}`),
		[]byte(`{"result":[{"values":[[1e300,"1"],[-1e300,"1"],["1","2"],[],[1]]}]}`), []byte(`{"result":[null]}`),
		[]byte(`{"result":[{"values":[[[[[1,"2"]]]]]}]}`), []byte(`[]`),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		var m matrix
		if json.Unmarshal(text, &m) != nil {
			return
		}
		for _, series := range m.Result {
			if len(series.Values) > len(text) {
				t.Fatalf("%d bytes gave %d points", len(text), len(series.Values))
			}
			tags := mapTags(series.Metric)
			tags.Values("host")
			for s := newPointSamples(series.Values, 0, 10_000); s.Next(); {
				if at, v := s.At(); at < 0 || at >= 10_000 || math.IsNaN(v) {
					t.Errorf("%q: got %d %v", text, at, v)
				}
			}
		}
	})
}
