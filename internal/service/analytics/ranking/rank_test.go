package ranking_test

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// town lays n places around a point, from numbers that depend on i alone.
func town(n int) []ranking.Place {
	kinds := []string{"Pizza", "Coffee", "Bakery", "Dentist", "Plumber"}
	out := make([]ranking.Place, n)
	for i := range out {
		h := uint64(i)*0x9e3779b97f4a7c15 + 1
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 32
		kind := kinds[h%5]
		out[i] = ranking.Place{
			ID: fmt.Sprintf("place-%07d", i), Name: fmt.Sprintf("%s Number %d", kind, i),
			Address:    "Some Street, Berlin",
			Categories: []string{kind + " shop"}, Rating: float64(h>>8%51) / 10, Reviews: int64(h >> 16 % 3000),
			Lat: 52.52 + (float64(h>>24%10007)/10007-0.5)*0.4, Lng: 13.40 + (float64(h>>40%10009)/10009-0.5)*0.6,
		}
	}
	return out
}

// plain is the documented formula without any index.
func plain(places []ranking.Place, words []string, at, centre ranking.Coordinates, depth int) []string {
	type scored struct {
		id    string
		score int64
	}
	var list []scored
	for _, p := range places {
		relevance := 0
		for _, w := range words {
			switch {
			case slices.Contains(strings.Fields(strings.ToLower(p.Name)), w):
				relevance += 100
			case strings.Contains(strings.ToLower(strings.Join(p.Categories, " ")), w):
				relevance += 90
			case strings.Contains(strings.ToLower(p.Address), w):
				relevance += 30
			}
		}
		cos := math.Cos(centre.Lat * math.Pi / 180)
		dx, dy := (p.Lng-at.Lng)*111.320*cos, (p.Lat-at.Lat)*110.574
		d := math.Sqrt(dx*dx + dy*dy)
		if relevance < 25*len(words) || d > ranking.Radius {
			continue
		}
		text := int64(relevance) * 10_000 / int64(len(words))
		w := int64(min(bits.Len64(uint64(p.Reviews)), 16))
		prominence := w * (500_000 + int64(math.Round(p.Rating*10))*10_000) / 16
		list = append(list, scored{p.ID, (text*50+prominence*15)/100 + int64(math.Round(350_000/(1+d/2)))})
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id))
	})
	var ids []string
	for _, s := range list[:min(depth, len(list))] {
		ids = append(ids, s.id)
	}
	return ids
}

func ids(r ranking.Result, k, p int) []string {
	var out []string
	for _, place := range r.Ranks[k][p] {
		out = append(out, r.Places[place].ID)
	}
	return out
}

// The walk over rings of cells finds what looking at every place finds.
func TestRankIsTheFormula(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		places := town(rapid.IntRange(0, 400).Draw(t, "places"))
		centre := ranking.Coordinates{
			Lat: 52.52 + rapid.Float64Range(-0.2, 0.2).Draw(t, "lat"),
			Lng: 13.4 + rapid.Float64Range(-0.3, 0.3).Draw(t, "lng"),
		}
		points := ranking.Grid(centre, 3, rapid.Float64Range(0.1, 20).Draw(t, "half"))
		depth := rapid.IntRange(1, 25).Draw(t, "depth")
		r, err := ranking.Rank(t.Context(), places, ranking.Query{
			Keywords: []string{"coffee", "pizza berlin"}, Points: points, Depth: depth,
		})
		if err != nil {
			t.Fatal(err)
		}
		for k, words := range [][]string{{"coffee"}, {"pizza", "berlin"}} {
			for i, at := range points {
				if diff := gocmp.Diff(plain(places, words, at, points[4], depth), ids(r, k, i)); diff != "" {
					t.Fatalf("keyword %v at point %d (-want +got):\n%s", words, i, diff)
				}
			}
		}
	})
}

// The order in which places arrive means nothing.
func TestOrderOfPlaces(t *testing.T) {
	t.Parallel()
	places := town(3000)
	q := ranking.Query{
		Keywords: []string{"bakery", "the best dentist near me"},
		Points:   ranking.Grid(ranking.Coordinates{Lat: 52.52, Lng: 13.4}, 5, 2), Depth: 20,
	}
	want, err := ranking.Rank(t.Context(), places, q)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(places)
	got, err := ranking.Rank(t.Context(), places, q)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("reversed places rank otherwise (-want +got):\n%s", diff)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	at := ranking.Coordinates{Lat: 10, Lng: 20}
	place := ranking.Place{
		ID: "a", Name: "Müller’s Dental Clinics", Categories: []string{"Dentist"}, Address: "Main Street, Oslo",
		Lat: 10, Lng: 20,
	}
	for keyword, found := range map[string]bool{
		"dental clinic": true, "DENTISTS": true, "müller": true, "the clinic near me": true, "oslo": true,
		"pizza": false, "pizza place in oslo": false, "": false, "!!!": false,
	} {
		t.Run(keyword, func(t *testing.T) {
			t.Parallel()
			r, err := ranking.Rank(t.Context(), []ranking.Place{place}, ranking.Query{
				Keywords: []string{keyword}, Points: []ranking.Coordinates{at}, Depth: 20,
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Ranks[0][0]) == 1; got != found {
				t.Errorf("found: got %v, want %v", got, found)
			}
		})
	}
}

// Every place within the radius lies in one of the tiles around, also over the
// date line and near the poles.
func TestAroundHoldsTheRadius(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := ranking.Coordinates{
			Lat: rapid.Float64Range(-89, 89).Draw(t, "lat"), Lng: rapid.Float64Range(-180, 180).Draw(t, "lng"),
		}
		angle := rapid.Float64Range(0, 2*math.Pi).Draw(t, "angle")
		d := rapid.Float64Range(0, ranking.Radius).Draw(t, "distance")
		lat := at.Lat + d*math.Sin(angle)/110.574
		lng := at.Lng + d*math.Cos(angle)/(111.320*math.Cos(at.Lat*math.Pi/180))
		if lat < -90 || lat > 90 {
			t.Skip("over the pole")
		}
		lng = math.Remainder(lng, 360)
		tile := ranking.Tile(lat, lng)
		if !slices.ContainsFunc(ranking.TilesAround([]ranking.Coordinates{at}), func(s ranking.Span) bool {
			return s.From <= tile && tile <= s.To
		}) {
			t.Fatalf("tile %d of %v, %v is not around %v", tile, lat, lng, at)
		}
	})
}

func TestGrid(t *testing.T) {
	t.Parallel()
	points := ranking.Grid(ranking.Coordinates{Lat: 33.8, Lng: -118}, 5, 1.5)
	if len(points) != 25 || points[12] != (ranking.Coordinates{Lat: 33.8, Lng: -118}) {
		t.Fatalf("got %d points, the middle one is %v", len(points), points[12])
	}
	if got := ranking.Distance(points[12], points[13]); math.Abs(got-0.75) > 0.001 {
		t.Errorf("neighbours are %v km apart, want 0.75", got)
	}
	if points[0].Lat <= points[24].Lat || points[0].Lng >= points[24].Lng {
		t.Errorf("the first point %v is not north-west of the last %v", points[0], points[24])
	}
}

// A campaign of the largest grid and ten keywords over a hundred thousand places.
func TestLargeCampaign(t *testing.T) {
	t.Parallel()
	places := town(100_000)
	q := ranking.Query{Points: ranking.Grid(ranking.Coordinates{Lat: 52.52, Lng: 13.4}, 15, 5), Depth: 20}
	q.Keywords = append(q.Keywords, "pizza", "coffee", "bakery", "dentist", "plumber",
		"coffee shop", "pizza berlin", "shop", "best bakery near me", "number")
	start := time.Now()
	if _, err := ranking.Rank(t.Context(), places, q); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("2250 searches over %d places took %s", len(places), took)
	if took > 30*time.Second {
		t.Errorf("took %s", took)
	}
}
