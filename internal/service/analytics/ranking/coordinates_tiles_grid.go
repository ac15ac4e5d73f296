package ranking

import (
	"math"
	"slices"
)

// Coordinates is a point on the globe, in degrees.
type Coordinates struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// Valid reports whether the point is on the globe.
func (c Coordinates) Valid() bool {
	return math.Abs(c.Lat) <= 90 && math.Abs(c.Lng) <= 180 // also refuses NaN
}

const (
	// Radius is how far, in km, a place can be and still rank.
	Radius = 30.0
	// MaxSpread is how far, in km, the points of one query may lie apart; beyond it
	// a flat map is too far from the truth.
	MaxSpread = 100.0

	// The length of a degree of latitude, and of longitude at the equator.
	kmLat, kmLng = 110.574, 111.320

	tilesPerDegree = 4
	columns        = 360 * tilesPerDegree
	rows           = 180 * tilesPerDegree
)

// Tile numbers the quarter degree squares row by row from the south-west.
func Tile(lat, lng float64) int64 {
	return int64(row(lat))*columns + int64(column(lng))
}

func row(lat float64) int {
	return min(max(int(math.Floor((lat+90)*tilesPerDegree)), 0), rows-1)
}

func column(lng float64) int {
	return ((int(math.Floor((lng+180)*tilesPerDegree)) % columns) + columns) % columns
}

// Span is a run of tiles, both ends included.
type Span struct{ From, To int64 }

// TilesAround lists the tiles that hold every place within Radius of a point.
func TilesAround(points []Coordinates) []Span {
	seen := map[int64]bool{}
	for _, p := range points {
		high := Radius / kmLat
		// Near a pole a circle crosses every meridian.
		wide := 180.0
		if c := math.Cos(min(math.Abs(p.Lat)+high, 90) * math.Pi / 180); c*kmLng*180 > Radius {
			wide = Radius / (c * kmLng)
		}
		first, count := int(math.Floor((p.Lng-wide+180)*tilesPerDegree)), int(math.Ceil(2*wide*tilesPerDegree))+1
		for y := row(p.Lat - high); y <= row(p.Lat+high); y++ {
			for x := first; x < first+min(count, columns); x++ {
				seen[int64(y)*columns+int64((x%columns+columns)%columns)] = true
			}
		}
	}
	tiles := make([]int64, 0, len(seen))
	for tile := range seen {
		tiles = append(tiles, tile)
	}
	slices.Sort(tiles)
	var spans []Span
	for _, tile := range tiles {
		if n := len(spans); n > 0 && spans[n-1].To == tile-1 {
			spans[n-1].To = tile
			continue
		}
		spans = append(spans, Span{tile, tile})
	}
	return spans
}

// Distance is how far, in km, b is from a on a flat map around a.
func Distance(a, b Coordinates) float64 {
	dx := wrapLongitude(b.Lng-a.Lng) * kmLng * math.Cos(a.Lat*math.Pi/180)
	dy := (b.Lat - a.Lat) * kmLat
	return math.Sqrt(float64(dx*dx) + float64(dy*dy))
}

// wrapLongitude takes a difference of longitudes to -180 up to 180.
func wrapLongitude(d float64) float64 {
	switch {
	case d > 180:
		return d - 360
	case d < -180:
		return d + 360
	}
	return d
}

// Grid lays n by n points over a square whose sides are 2×half km, row by row from
// the north-west, around the centre.
func Grid(centre Coordinates, n int, half float64) []Coordinates {
	points := make([]Coordinates, 0, n*n)
	step := 2 * half / float64(n-1)
	cos := max(math.Cos(centre.Lat*math.Pi/180), 1e-6)
	for y := range n {
		for x := range n {
			north, east := half-float64(float64(y)*step), float64(float64(x)*step)-half
			points = append(points, Coordinates{
				Lat: round7(min(max(centre.Lat+north/kmLat, -90), 90)),
				Lng: round7(wrapLongitude(centre.Lng + east/(kmLng*cos))),
			})
		}
	}
	return points
}

// round7 keeps a centimetre, so that points read well and compare exactly.
func round7(v float64) float64 { return math.Round(v*1e7) / 1e7 }
