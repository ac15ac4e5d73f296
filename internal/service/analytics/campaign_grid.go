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

// defaultGrid is laid around the business when nothing else is asked for.
func defaultGrid(at ranking.Coordinates) GridSettings {
	return GridSettings{Template: "5x5", Unit: "KM", Distance: 1.5, BasePoint: at}
}

// applyPoints takes a grid or a list of points, never both.
func (s *Service) applyPoints(c *Campaign, change CampaignChange) error {
	grid, hasGrid := change.Grid.Get()
	points, hasPoints := change.Points.Get()
	switch {
	case hasGrid && hasPoints:
		return errInvalidField("points", "must not be sent together with gridSettings")
	case hasPoints:
		return s.setPoints(c, points)
	case !hasGrid && len(c.Points) > 0:
		return nil
	case !hasGrid:
		grid = defaultGrid(c.Business.At())
	}
	return s.setGrid(c, grid)
}

func (s *Service) setGrid(c *Campaign, g GridSettings) error {
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
		return errInvalidField("gridSettings.unit", "must be KM or MI")
	}
	if !(km > 0) || km > maxDistance {
		return errInvalidField("gridSettings.distance", "must be above 0 and at most 35 km")
	}
	if g.BasePoint == (ranking.Coordinates{}) {
		g.BasePoint = c.Business.At()
	}
	if !g.BasePoint.Valid() {
		return errInvalidField(
			"gridSettings.basePoint", "must have lat between -90 and 90 and lng between -180 and 180",
		)
	}
	c.Grid, c.Points = &g, make([]MapPoint, 0, n*n)
	for i, p := range ranking.Grid(g.BasePoint, n, km) {
		c.Points = append(c.Points, MapPoint{ID: s.world.IDs.UUID(), Index: i, IsEnabled: true, Coordinates: p})
	}
	return nil
}

// gridSide reads "5x5".
func gridSide(template string) (int, error) {
	a, b, _ := strings.Cut(template, "x")
	n, err := strconv.Atoi(a)
	if err != nil || a != b || n < minGrid || n > maxGrid || strconv.Itoa(n) != a {
		return 0, errInvalidField("gridSettings.template", "must be one of 3x3 to 15x15")
	}
	return n, nil
}

func (s *Service) setPoints(c *Campaign, points []MapPoint) error {
	if len(points) == 0 || len(points) > maxPoints {
		return errInvalidField("points", "must be 1 to 225")
	}
	out := make([]MapPoint, len(points))
	for i, p := range points {
		field := "points[" + strconv.Itoa(i) + "].coordinates"
		if !p.Coordinates.Valid() {
			return errInvalidField(field, "must have lat between -90 and 90 and lng between -180 and 180")
		}
		if d := ranking.Distance(points[0].Coordinates, p.Coordinates); d > ranking.MaxSpread || math.IsNaN(d) {
			return errInvalidField(field, "must lie within 100 km of the first point")
		}
		out[i] = MapPoint{ID: s.world.IDs.UUID(), Index: i, IsEnabled: p.IsEnabled, Coordinates: p.Coordinates}
	}
	if len(enabled(out)) == 0 {
		return errInvalidField("points", "must have one that is enabled")
	}
	c.Grid, c.Points = nil, out
	return nil
}
