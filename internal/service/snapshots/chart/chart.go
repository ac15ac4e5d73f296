package chart

import (
	"time"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
)

// Kind is what sort of picture is drawn.
type Kind string

// The kinds of picture.
const (
	Timeseries   Kind = "timeseries"
	Toplist      Kind = "toplist"
	QueryValue   Kind = "query_value"
	Heatmap      Kind = "heatmap"
	Distribution Kind = "distribution"
	Change       Kind = "change"
)

// OneNumber reports whether the kind shows one number for the whole range of each
// series.
func (k Kind) OneNumber() bool { return k == Toplist || k == QueryValue || k == Change }

// Display is how a layer of a timeseries is drawn.
type Display string

// The displays of a layer.
const (
	Line Display = "line"
	Area Display = "area"
	Bars Display = "bars"
)

// Legend is how much of a legend is drawn.
type Legend string

// The legends. Auto is a compact one when there is space and reason.
const (
	LegendAuto     Legend = ""
	LegendNone     Legend = "none"
	LegendCompact  Legend = "compact"
	LegendExpanded Legend = "expanded"
)

// Chart is one picture. Width and Height are logical pixels; the PNG is Scale
// times as large.
type Chart struct {
	Kind          Kind
	Title         string
	Width, Height int
	Scale         float64
	Dark          bool
	From, To      time.Time
	Zone          *time.Location
	Axis          Axis
	Right         Axis // of layers on the right
	Layers        []Layer
	Markers       []Marker
	Bands         []Band
	Legend        Legend
	Formats       []Format // conditional formats of toplist, value and change
	Precision     int      // digits after the point of a query value; -1 is automatic
	Buckets       []Bucket // cells of a heat map
	IncreaseGood  bool     // of a change: growth is green
}

// Axis is the value axis.
type Axis struct {
	Min, Max    *float64
	Kind        axis.Kind
	Exponent    float64
	IncludeZero *bool
	Label       string
	Trim        Trim
}

// Trim leaves extreme values out of the choice of the range; they are then cut
// off at the edge. A fraction counts values, an absolute bound compares them.
type Trim struct {
	TopFraction, BottomFraction float64
	TopAbove, BottomBelow       *float64
}

// Layer is the series of one request, drawn alike.
type Layer struct {
	Display Display
	Stacked bool
	Right   bool // its values are read at the right
	Palette string
	Gray    bool // one gray for all series, so that those of other layers stand out
	Dash    Dash
	Width   float64 // logical pixels, 0 is automatic
	Series  []Series
}

// Dash is the pattern of a line.
type Dash string

// The patterns.
const (
	Solid  Dash = "solid"
	Dashed Dash = "dashed"
	Dotted Dash = "dotted"
)

// Series is one sequence of values in time order. A NaN is an explicit gap.
type Series struct {
	Name     string
	Unit     axis.Unit
	Interval time.Duration
	Points   []Point
	// Band is where values are expected; those outside are anomalies when Judged.
	Band   *Envelope
	Judged bool
	// Expected continues the points where they end.
	Expected []Point
	// Unfinished means that the last point may still grow.
	Unfinished bool
	Value      float64 // of kinds that draw one number per series
	Before     float64 // of Change
}

// Envelope is two edges in time order, with the same times.
type Envelope struct{ Lower, Upper []Point }

// Point is a value at a time in Unix milliseconds.
type Point struct {
	T int64
	V float64
}

// Severity colours a marker.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	OK      Severity = "ok"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Marker is a line at one value or a range between two.
type Marker struct {
	From, To *float64 // equal for a line; nil is unbounded
	Label    string
	Severity Severity
	Dash     Dash
	Bold     bool
}

// Band is a strip of time, for example an event.
type Band struct {
	From, To time.Time
	Label    string
	Severity Severity
}

// Bucket is one cell of a heat map: Count values between Lo and Hi in the
// Interval that begins at T.
type Bucket struct {
	T        int64
	Interval time.Duration
	Lo, Hi   float64
	Count    float64
}

// Format colours a number when it compares true.
type Format struct {
	Comparator string // one of > >= < <= =
	Value      float64
	Text, Fill *draw.Color
	HideValue  bool
}

// matches reports whether the format applies to v.
func (f Format) matches(v float64) bool {
	switch f.Comparator {
	case ">":
		return v > f.Value
	case ">=":
		return v >= f.Value
	case "<":
		return v < f.Value
	case "<=":
		return v <= f.Value
	case "=":
		return v == f.Value
	default:
		return false
	}
}
