package ranking

import "math"

// cellSide is the side, in km, of the cells that candidates are looked up by.
const cellSide = 1.0

// point is a place on the flat map, in km.
type point struct{ x, y float64 }

// plane is a flat map around the middle of a query's points, large enough for
// every place that can rank at one of them.
type plane struct {
	centre Coordinates
	cos    float64
	points []point
	half   float64 // km from the centre to each side
	side   int     // cells per side
}

func newPlane(points []Coordinates) *plane {
	f := &plane{cos: 1}
	if len(points) > 0 {
		f.centre = points[len(points)/2]
		f.cos = math.Cos(f.centre.Lat * math.Pi / 180)
	}
	reach := 0.0
	for _, p := range points {
		x, y := f.project(p)
		f.points = append(f.points, point{x, y})
		reach = max(reach, math.Abs(x), math.Abs(y))
	}
	// Points farther apart than MaxSpread take no more memory.
	f.half = math.Ceil(min(reach, 2*MaxSpread)) + Radius
	f.side = int(2*f.half/cellSide) + 1
	return f
}

func (f *plane) project(p Coordinates) (x, y float64) {
	return wrapLongitude(p.Lng-f.centre.Lng) * kmLng * f.cos, (p.Lat - f.centre.Lat) * kmLat
}

// contains reports whether a place lies on the map at all.
func (f *plane) contains(x, y float64) bool { return math.Abs(x) <= f.half && math.Abs(y) <= f.half }

func (f *plane) cellIndex(v float64) int { return int((v + f.half) / cellSide) }

func (f *plane) cell(x, y float64) int { return f.cellIndex(y)*f.side + f.cellIndex(x) }
