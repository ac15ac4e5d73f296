package resourcepages

import (
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/console/drawing"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

// maxLooked is how many rows a lookup is about.
const maxLooked = 1000

// lookUp asks about all rows and puts what it finds into each. A lookup that fails
// leaves the list as it is: it says why.
func (p *Pages) lookUp(v Visit, at place, items []any) (problem string, err error) {
	l := at.resource.Lookup
	if l == nil || len(items) == 0 {
		return "", nil
	}
	items = items[:min(len(items), maxLooked)]
	requests := make([]any, 0, len(items))
	for _, item := range items {
		value, _ := wire.Lookup(item, l.Row)
		requests = append(requests, map[string]any{l.Member: value})
	}
	a, err := p.do(v, at.module, l.Call, input{values: url.Values{}, body: map[string]any{l.Requests: requests}})
	if err != nil || a.failed() {
		return l.Found.Title + ": " + errorText(a), err
	}
	value, _ := wire.Lookup(a.Value, l.Answers)
	answers, _ := value.([]any)
	for i, item := range items {
		row, ok := item.(map[string]any)
		if !ok || i >= len(answers) {
			continue
		}
		row[strings.TrimPrefix(resource.Looked, "/")], _ = wire.Lookup(answers[i], l.Found.Pointer)
	}
	return "", nil
}

// columnsOf are the columns of a list, with that of its lookup.
func columnsOf(r resource.Resource) []resource.Column {
	var list []resource.Column
	for _, c := range r.Columns {
		if c.Only != resource.InItem {
			list = append(list, c)
		}
	}
	if r.Lookup == nil {
		return list
	}
	found := r.Lookup.Found
	found.Pointer = resource.Looked
	return append(list, found)
}

// draw makes the picture of a list.
func draw(r resource.Resource, a answer, items []any) template.HTML {
	switch d := r.Drawing; {
	case d == nil:
		return ""
	case d.Points != nil:
		return drawPoints(d, items)
	default:
		return drawNeeds(d, a, items)
	}
}

func drawPoints(d *resource.Drawing, items []any) template.HTML {
	var points []drawing.Point
	for _, item := range items {
		p, ok := drawing.Point{}, true
		for pointer, to := range map[string]*float64{
			d.Points.Latitude: &p.Latitude, d.Points.Longitude: &p.Longitude, d.Points.Value: &p.Value,
		} {
			n, found := numberAt(item, pointer)
			*to, ok = n, ok && found
		}
		if ok {
			points = append(points, p)
		}
	}
	return drawing.Map(d.Title, points, drawing.Scale{Good: d.Points.Good, Fair: d.Points.Fair, End: d.Points.End})
}

func drawNeeds(d *resource.Drawing, a answer, items []any) template.HTML {
	text := func(item any, pointer string) string {
		value, _ := wire.Lookup(item, pointer)
		return textOf(value)
	}
	var nodes []drawing.Node
	for _, item := range items {
		n := drawing.Node{Name: text(item, d.Needs.Name), Version: text(item, d.Needs.Version)}
		if d.Needs.Mark != "" {
			n.Mark = text(item, d.Needs.Mark)
		}
		nodes = append(nodes, n)
	}
	var edges []drawing.Edge
	value, _ := wire.Lookup(a.Value, d.Needs.Edges)
	list, _ := value.([]any)
	for _, item := range list {
		from, fromOK := numberAt(item, d.Needs.From)
		to, toOK := numberAt(item, d.Needs.To)
		if fromOK && toOK {
			edges = append(edges, drawing.Edge{From: int(from), To: int(to)})
		}
	}
	words := drawing.Words{One: d.Needs.One, Many: d.Needs.Many, Marked: d.Needs.Marked}
	return drawing.Graph(d.Title, words, nodes, edges)
}

func numberAt(item any, pointer string) (float64, bool) {
	value, _ := wire.Lookup(item, pointer)
	n, err := strconv.ParseFloat(textOf(value), 64)
	return n, err == nil
}
