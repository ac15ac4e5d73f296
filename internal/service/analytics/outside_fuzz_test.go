package analytics

import (
	"bufio"
	"bytes"
	"errors"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// A place of a file is one that can be kept, in either format.
func FuzzPlaces(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte("id,name,lat,lng,rating,reviews,categories\na,Café,52.5,13.4,4.5,10,x|y\n"),
		[]byte("\ufeffID , Name,LAT,lng\n\"a\nb\",c,NaN,1e999\n"), []byte("id,name,lat,lng\na,b,91,0"), []byte("id,id,name,lat,lng\n1,2,3,4,5"), []byte("\"\n"),
		[]byte(`{"type":"FeatureCollection","features":[{"id":1,"properties":{"name":"x","categories":["a",1]},"geometry":{"type":"Point","coordinates":[13.4,52.5]}}]}`),
		[]byte(` {"features":[{"geometry":{"type":"Point","coordinates":[]}}]}`), []byte(`{"features":{}}`), []byte(`{"a":"features","features":[null]}`), []byte("{"),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		count := 0
		_ = readPlaces(bufio.NewReader(bytes.NewReader(text)), func(p ranking.Place) error { // refusing is fine
			if count++; p.ID == "" || p.Name == "" || p.CID == "" || !validPoint(Coordinates{Lat: p.Lat, Lng: p.Lng}) || p.Reviews < 0 || !(p.Rating >= 0 && p.Rating <= 5) {
				t.Errorf("%q: got %+v", text, p)
			}
			return nil
		})
		if count > len(text) {
			t.Errorf("%d bytes gave %d places", len(text), count)
		}
	})
}

// A list of locations gives one item for each, of which some may be in error.
func FuzzLocations(f *testing.F) {
	fuzztest.Bytes(f,
		[]byte(`{"locations":[{"locationId":"a","name":"x","lat":"y"},{},null,3]}`), []byte(`[{"name":1},{"openInfo":{"openingDate":{"year":99999}}}]`),
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

// A grid is one of those that are offered.
func FuzzGrid(f *testing.F) {
	fuzztest.Strings(f, "5x5", "3x3", "15x15", "16x16", "05x05", "5x", "x", "5X5", "-3x-3", "5x5x5", "٥x٥")
	f.Fuzz(func(t *testing.T, template string) {
		n, err := gridSide(template)
		var own *Error
		if err != nil && !errors.As(err, &own) {
			t.Errorf("%q: got %T %v, want an *Error", template, err, err)
		}
		if err == nil && (n < minGrid || n > maxGrid) {
			t.Errorf("%q: got %d", template, n)
		}
	})
}
