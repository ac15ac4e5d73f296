package analytics

import (
	"fmt"
	"math"
	"strconv"

	"stoa.dev/stoa/internal/platform/draw"
)

// The picture of a heatmap, in pixels.
const (
	pictureSide   = 640
	pictureMargin = 48
	pictureHead   = 40
	maxRadius     = 22.0
)

// renderHeatmap draws a heatmap: a disc for each point where it lies, north up, with the
// position in it.
func (s *Service) renderHeatmap(h Heatmap) ([]byte, error) {
	renderer, err := s.renderer()
	if err != nil {
		return nil, err
	}
	theme := draw.Light()
	at := layout(h.Points)
	radius := discRadius(at)
	title, small := renderer.Face(draw.Bold, 15), renderer.Face(draw.Regular, max(radius*0.8, 7))
	words := title.Fit(
		fmt.Sprintf("%s, %s", h.Keyword.Name, h.Date.Format("2006-01-02 15:04")), pictureSide-2*pictureMargin/2,
	)
	return renderer.Encode(pictureSide, pictureSide+pictureHead, theme.Background, func(c *draw.Canvas) {
		c.Text(title, pictureMargin/2, 26, words, theme.Text, draw.Left)
		for i, p := range h.Points {
			colour := heatColour(p.Position)
			c.Fill(disc(at[i], radius), colour)
			text := strconv.Itoa(p.Position)
			if p.Position >= notFoundPosition {
				text = strconv.Itoa(maxPosition) + "+"
			}
			ink := draw.RGB(0xffffff)
			if colour.Luminance() > 150 {
				ink = draw.RGB(0x1a1a1a)
			}
			c.Text(small, at[i].X, at[i].Y+radius*0.28, text, ink, draw.Center)
		}
	})
}

// heatColour is green for the first three, then yellow, orange and red.
func heatColour(position int) draw.Color {
	switch {
	case position <= 3:
		return draw.RGB(0x1f9e55)
	case position <= 10:
		return draw.RGB(0xf2c230)
	case position <= maxPosition:
		return draw.RGB(0xe8752c)
	}
	return draw.RGB(0xb8323a)
}

// layout takes coordinates to pixels, with the same scale both ways.
func layout(points []HeatPoint) []draw.Point {
	out := make([]draw.Point, len(points))
	if len(points) == 0 {
		return out
	}
	first := points[0].Point.Coordinates
	cos := math.Cos(first.Lat * math.Pi / 180)
	low, high := draw.Point{X: math.Inf(1), Y: math.Inf(1)}, draw.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for i, p := range points {
		// IEEE's remainder brings a step over the date line back to a small one.
		out[i] = draw.Point{
			X: math.Remainder(p.Point.Coordinates.Lng-first.Lng, 360) * cos, Y: -p.Point.Coordinates.Lat,
		}
		low = draw.Point{X: min(low.X, out[i].X), Y: min(low.Y, out[i].Y)}
		high = draw.Point{X: max(high.X, out[i].X), Y: max(high.Y, out[i].Y)}
	}
	side := float64(pictureSide - 2*pictureMargin)
	scale := 0.0
	if extent := max(high.X-low.X, high.Y-low.Y); extent > 0 {
		scale = side / extent
	}
	for i, p := range out {
		out[i] = draw.Point{
			X: pictureMargin + side/2 + (p.X-(low.X+high.X)/2)*scale,
			Y: pictureHead + pictureMargin + side/2 + (p.Y-(low.Y+high.Y)/2)*scale,
		}
	}
	return out
}

// discRadius lets the nearest two discs just not touch.
func discRadius(at []draw.Point) float64 {
	radius := maxRadius
	for i, a := range at {
		for _, b := range at[i+1:] {
			radius = min(radius, math.Hypot(a.X-b.X, a.Y-b.Y)*0.46)
		}
	}
	return max(radius, 4)
}

// disc is a circle of straight pieces too short to see.
func disc(centre draw.Point, radius float64) []draw.Point {
	const corners = 36
	out := make([]draw.Point, corners)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out[i] = draw.Point{X: centre.X + radius*cos, Y: centre.Y + radius*sin}
	}
	return out
}
