package places

import (
	"bufio"
	"bytes"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// A place of a file is one that can be kept, in either format.
func FuzzPlaces(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte("id,name,lat,lng,rating,reviews,categories\na,Café,52.5,13.4,4.5,10,x|y\n"),
		[]byte("\ufeffID , Name,LAT,lng\n\"a\nb\",c,NaN,1e999\n"), []byte("id,name,lat,lng\na,b,91,0"),
		[]byte("id,id,name,lat,lng\n1,2,3,4,5"), []byte("\"\n"),
		[]byte(`{"type":"FeatureCollection","features":[{"id":1,"properties":{"name":"x","categories":["a",1]},`+
			`"geometry":{"type":"Point","coordinates":[13.4,52.5]}}]}`),
		[]byte(` {"features":[{"geometry":{"type":"Point","coordinates":[]}}]}`), []byte(`{"features":{}}`),
		[]byte(`{"a":"features","features":[null]}`), []byte("{"),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		count := 0
		_ = readPlaces(bufio.NewReader(bytes.NewReader(text)), func(p ranking.Place) error { // refusing is fine
			named, rated := p.ID != "" && p.Name != "" && p.CID != "", p.Rating >= 0 && p.Rating <= 5
			if count++; !named || !rated || !p.At().Valid() || p.Reviews < 0 {
				t.Errorf("%q: got %+v", text, p)
			}
			return nil
		})
		if count > len(text) {
			t.Errorf("%d bytes gave %d places", len(text), count)
		}
	})
}
