package drawing

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Point is a place with a number.
type Point struct{ Latitude, Longitude, Value float64 }

// Scale says what numbers are good: those up to Good, then those up to Fair. Above End
// nothing was found.
type Scale struct{ Good, Fair, End float64 }

// The picture of a map, in its own units.
const (
	mapSide   = 600.0
	mapMargin = 40.0
	maxDisc   = 24.0
)

// Map draws discs where the points lie, north up, with the number in each.
func Map(title string, points []Point, s Scale) template.HTML {
	if len(points) == 0 {
		return ""
	}
	at, width, height := project(points)
	radius := discRadius(at)
	var out strings.Builder
	fmt.Fprintf(&out, `<figure class="drawing"><svg viewBox="0 0 %s %s" role="img" aria-label="%s">`,
		number(width), number(height), template.HTMLEscapeString(title+": "+summary(points, s)))
	for i, p := range points {
		class, text := s.grade(p.Value)
		fmt.Fprintf(&out, `<g class="disc %s"><circle cx="%s" cy="%s" r="%s"/><text x="%s" y="%s" font-size="%s">%s</text></g>`,
			class, number(at[i][0]), number(at[i][1]), number(radius), number(at[i][0]), number(at[i][1]+radius*0.3),
			number(max(radius*0.8, 6)), text)
	}
	out.WriteString(`</svg><figcaption>` + template.HTMLEscapeString(summary(points, s)) + `</figcaption></figure>`)
	return template.HTML(out.String()) //nolint:gosec // numbers, and texts that are escaped
}

// grade is the class of a number and how it is written.
func (s Scale) grade(value float64) (class, text string) {
	text = strconv.FormatFloat(value, 'f', -1, 64)
	switch {
	case value <= s.Good:
		return "is-good", text
	case value <= s.Fair:
		return "is-fair", text
	case value <= s.End:
		return "is-poor", text
	}
	return "is-out", strconv.FormatFloat(s.End, 'f', -1, 64) + "+"
}

// summary says in words how many points are how good.
func summary(points []Point, s Scale) string {
	count := map[string]int{}
	for _, p := range points {
		class, _ := s.grade(p.Value)
		count[class]++
	}
	whole := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return fmt.Sprintf("%d points, north up: %d at 1 to %s, %d up to %s, %d up to %s, %d not found", len(points),
		count["is-good"], whole(s.Good), count["is-fair"], whole(s.Fair), count["is-poor"], whole(s.End), count["is-out"])
}

// project takes coordinates to the picture, with the same scale both ways.
func project(points []Point) (at [][2]float64, width, height float64) {
	first, cos := points[0], math.Cos(points[0].Latitude*math.Pi/180)
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		// IEEE's remainder brings a step over the date line back to a small one.
		here := [2]float64{math.Remainder(p.Longitude-first.Longitude, 360) * cos, -p.Latitude}
		for i := range here {
			low[i], high[i] = min(low[i], here[i]), max(high[i], here[i])
		}
		at = append(at, here)
	}
	span := max(high[0]-low[0], high[1]-low[1], 1e-9)
	scale := (mapSide - 2*mapMargin) / span
	for i := range at {
		at[i] = [2]float64{mapMargin + (at[i][0]-low[0])*scale, mapMargin + (at[i][1]-low[1])*scale}
	}
	return at, 2*mapMargin + (high[0]-low[0])*scale, 2*mapMargin + (high[1]-low[1])*scale
}

// discRadius keeps discs from covering each other.
func discRadius(at [][2]float64) float64 {
	radius := maxDisc
	for i := range at {
		for j := range i {
			if d := math.Hypot(at[i][0]-at[j][0], at[i][1]-at[j][1]); d > 0 {
				radius = min(radius, d/2.2)
			}
		}
	}
	return max(radius, 2)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
