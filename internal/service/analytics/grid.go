package analytics

import (
	"math"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/service/analytics/ranking"
)

const (
	minGrid, maxGrid = 3, 15
	maxPoints        = maxGrid * maxGrid
	kmPerMile        = 1.609344
	maxDistance      = 35.0 // km; keeps the corners of a grid within ranking.Spread
)

// usualGrid is laid around the business when nothing else is asked for.
func usualGrid(at Coordinates) GridSettings {
	return GridSettings{Template: "5x5", Unit: "KM", Distance: 1.5, BasePoint: at}
}

// applyPoints takes a grid or a list of points, never both.
func (s *Service) applyPoints(c *Campaign, change CampaignChange) error {
	grid, hasGrid := change.Grid.Get()
	points, hasPoints := change.Points.Get()
	switch {
	case hasGrid && hasPoints:
		return errField("points", "must not be sent together with gridSettings")
	case hasPoints:
		return s.usePoints(c, points)
	case !hasGrid && len(c.Points) > 0:
		return nil
	case !hasGrid:
		grid = usualGrid(Coordinates{Lat: c.Business.Lat, Lng: c.Business.Lng})
	}
	return s.useGrid(c, grid)
}

func (s *Service) useGrid(c *Campaign, g GridSettings) error {
	n, err := gridSide(g.Template)
	if err != nil {
		return err
	}
	km := g.Distance
	switch g.Unit {
	case "", "KM":
		g.Unit = "KM"
	case "MI":
		km *= kmPerMile
	default:
		return errField("gridSettings.unit", "must be KM or MI")
	}
	if !(km > 0) || km > maxDistance {
		return errField("gridSettings.distance", "must be above 0 and at most 35 km")
	}
	if g.BasePoint == (Coordinates{}) {
		g.BasePoint = Coordinates{Lat: c.Business.Lat, Lng: c.Business.Lng}
	}
	if !validPoint(g.BasePoint) {
		return errField("gridSettings.basePoint", "must have lat between -90 and 90 and lng between -180 and 180")
	}
	c.Grid, c.Points = &g, make([]MapPoint, 0, n*n)
	for i, p := range ranking.Grid(ranking.Point(g.BasePoint), n, km) {
		c.Points = append(c.Points, MapPoint{ID: s.world.IDs.UUID(), Index: i, IsEnabled: true, Coordinates: Coordinates(p)})
	}
	return nil
}

// gridSide reads "5x5".
func gridSide(template string) (int, error) {
	a, b, _ := strings.Cut(template, "x")
	n, err := strconv.Atoi(a)
	if err != nil || a != b || n < minGrid || n > maxGrid || strconv.Itoa(n) != a {
		return 0, errField("gridSettings.template", "must be one of 3x3 to 15x15")
	}
	return n, nil
}

func (s *Service) usePoints(c *Campaign, points []MapPoint) error {
	if len(points) == 0 || len(points) > maxPoints {
		return errField("points", "must be 1 to 225")
	}
	out := make([]MapPoint, len(points))
	for i, p := range points {
		field := "points[" + strconv.Itoa(i) + "].coordinates"
		if !validPoint(p.Coordinates) {
			return errField(field, "must have lat between -90 and 90 and lng between -180 and 180")
		}
		if d := ranking.Distance(ranking.Point(points[0].Coordinates), ranking.Point(p.Coordinates)); d > ranking.Spread || math.IsNaN(d) {
			return errField(field, "must lie within 100 km of the first point")
		}
		out[i] = MapPoint{ID: s.world.IDs.UUID(), Index: i, IsEnabled: p.IsEnabled, Coordinates: p.Coordinates}
	}
	if len(enabled(out)) == 0 {
		return errField("points", "must have one that is enabled")
	}
	c.Grid, c.Points = nil, out
	return nil
}
