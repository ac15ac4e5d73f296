package definition

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/service/snapshots/chart"
)

// Layer reads how a request is drawn. Areas and bars are stacked; without a type
// several queries in one request are, too.
func (r *Request) Layer(where string, several bool) (layer chart.Layer, err error) {
	kind := r.DisplayType
	if kind == "" {
		kind = r.Type
	}
	switch kind {
	case "line", "overlay":
		layer.Display = chart.Line
	case "area":
		layer.Display, layer.Stacked = chart.Area, true
	case "bars":
		layer.Display, layer.Stacked = chart.Bars, true
	case "", "timeseries":
		layer.Display = chart.Line
		if several {
			layer.Display, layer.Stacked = chart.Area, true
		}
	default:
		return layer, errInvalid("%s: type %q is none of line, area and bars", where, kind)
	}
	if s := r.Stacked.Boolean(); s != nil && kind != "line" {
		layer.Stacked = *s
		if *s && layer.Display == chart.Line {
			layer.Display = chart.Area
		}
	}
	layer.Palette, layer.Right = r.Style.Palette, r.OnRightAxis.IsTrue()
	switch either(r.Style.LineType, r.Style.Type) {
	case "dashed":
		layer.Dash = chart.Dashed
	case "dotted":
		layer.Dash = chart.Dotted
	default:
		layer.Dash = chart.Solid
	}
	switch either(r.Style.LineWidth, r.Style.Width) {
	case "thin":
		layer.Width = 1
	case "thick":
		layer.Width = 3
	}
	return layer, nil
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// markerForm matches "y = 15", "0 < y < 10", "y > 3" and "10 <= y".
var markerForm = regexp.MustCompile(`^\s*(?:([-+0-9.eE]+)\s*(<=?)\s*)?y(?:\s*(=|<=?|>=?)\s*([-+0-9.eE]+))?\s*$`)

// Read understands a marker.
func (d Marker) Read() (chart.Marker, error) {
	m := chart.Marker{Label: d.Label, Severity: chart.Info, Dash: chart.Solid}
	parts := markerForm.FindStringSubmatch(d.Value)
	if parts == nil || parts[1] == "" && parts[4] == "" {
		return m, errInvalid("graph_def: the marker %q is not of the form \"y = 15\" or \"0 < y < 10\"", d.Value)
	}
	var err error
	read := func(s string) *float64 {
		v, bad := strconv.ParseFloat(s, 64)
		if bad != nil {
			err = errInvalid("graph_def: the marker %q holds a malformed number", d.Value)
		}
		return &v
	}
	if parts[1] != "" {
		m.From = read(parts[1])
	}
	switch {
	case parts[3] == "=":
		m.From = read(parts[4])
		m.To = m.From
	case strings.HasPrefix(parts[3], "<"):
		m.To = read(parts[4])
	case strings.HasPrefix(parts[3], ">"):
		m.From = read(parts[4])
	}
	for _, word := range strings.Fields(either(d.DisplayType, d.Type)) {
		switch word {
		case "error", "warning", "ok", "info":
			m.Severity = chart.Severity(word)
		case "dashed", "dotted", "solid":
			m.Dash = chart.Dash(word)
		case "bold":
			m.Bold = true
		}
	}
	return m, err
}

// Read understands a conditional format and its named colours.
func (d Format) Read() (chart.Format, error) {
	f := chart.Format{Comparator: d.Comparator, HideValue: d.HideValue.IsTrue()}
	switch d.Comparator {
	case ">", ">=", "<", "<=", "=":
	default:
		return f, errInvalid("graph_def: the comparator %q is none of >, >=, <, <= and =", d.Comparator)
	}
	v, err := d.Value.Number("conditional_formats.value")
	if err != nil || v == nil {
		return f, errInvalid("graph_def: a conditional format needs a number as value")
	}
	f.Value = *v
	f.Fill, f.Text = formatColors(d.Palette)
	for _, custom := range []struct {
		text string
		to   **draw.Color
	}{{d.Background, &f.Fill}, {d.Foreground, &f.Text}} {
		if custom.text == "" {
			continue
		}
		c, err := draw.ParseColor(custom.text)
		if err != nil {
			return f, errInvalid("graph_def: %s", err)
		}
		*custom.to = &c
	}
	return f, nil
}

// formatColors reads names such as white_on_red and green_on_white. White on each
// of the colours, and each of them on white, can be read.
func formatColors(name string) (fill, text *draw.Color) {
	word := func(s string) *draw.Color {
		var c draw.Color
		switch strings.TrimPrefix(s, "light_") {
		case "red":
			c = draw.RGB(0xc53a3a)
		case "green":
			c = draw.RGB(0x1f7d45)
		case "yellow", "orange":
			c = draw.RGB(0x96660a)
		case "blue":
			c = draw.RGB(0x3264c8)
		case "grey", "gray":
			c = draw.RGB(0x5f6b77)
		case "white":
			c = draw.RGB(0xffffff)
		case "black":
			c = draw.RGB(0x1c2733)
		default:
			return nil
		}
		if strings.HasPrefix(s, "light_") {
			c = c.Mix(draw.RGB(0xffffff), 170)
		}
		return &c
	}
	front, back, both := strings.Cut(name, "_on_")
	if both {
		return word(back), word(front)
	}
	return word(name), word("white")
}

// parseTrim reads yaxis.filter: a number, a percentage, or top and bottom.
func parseTrim(raw json.RawMessage) (chart.Trim, error) {
	var t chart.Trim
	if len(raw) == 0 || string(raw) == "null" {
		return t, nil
	}
	var both struct{ Top, Bottom Scalar }
	if raw[0] != '{' {
		if err := json.Unmarshal(raw, &both.Top); err != nil {
			return t, errInvalid("graph_def: yaxis.filter is a number, a percentage or an object with top and bottom")
		}
	} else if err := json.Unmarshal(raw, &both); err != nil {
		return t, errInvalid("graph_def: yaxis.filter: %s", err)
	}
	var err error
	if t.TopFraction, t.TopAbove, err = trimEnd(both.Top); err != nil {
		return t, err
	}
	t.BottomFraction, t.BottomBelow, err = trimEnd(both.Bottom)
	return t, err
}

func trimEnd(s Scalar) (fraction float64, absolute *float64, err error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(string(s)), "%")
	v, err := Scalar(text).Number("yaxis.filter")
	if err != nil || v == nil {
		return 0, nil, err
	}
	if !percent {
		return 0, v, nil
	}
	if *v < 0 || *v > 50 {
		return 0, nil, errInvalid("graph_def: yaxis.filter: a percentage lies between 0 and 50")
	}
	return *v / 100, nil, nil
}

// Read understands a value axis.
func (d Axis) Read(name string, a *chart.Axis) (err error) {
	if a.Min, err = d.Min.Number(name + ".min"); err != nil {
		return err
	}
	if a.Max, err = d.Max.Number(name + ".max"); err != nil {
		return err
	}
	if a.Kind, a.Exponent, err = axis.ParseKind(d.Scale); err != nil {
		return errInvalid("graph_def: %s.%s", name, err)
	}
	if a.Min != nil && a.Max != nil && *a.Min >= *a.Max {
		return errInvalid("graph_def: %s.min must be below %s.max", name, name)
	}
	a.Label = d.Label
	if zero := d.IncludeZero.Boolean(); zero != nil {
		a.IncludeZero = zero
	}
	a.Trim, err = parseTrim(d.Filter)
	return err
}
