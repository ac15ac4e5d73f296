package answer

import (
	"math"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Column is what one formula or query gives: a series with one value for each
// group.
type Column struct {
	Name   string
	Groups []query.Series
}

// Scalar is the answer of a query for one number.
type Scalar struct {
	Data struct {
		ID         string           `json:"id"`
		Type       string           `json:"type"`
		Attributes scalarAttributes `json:"attributes"`
	} `json:"data"`
}

type scalarAttributes struct {
	// Columns are groups first, then numbers.
	Columns []scalarColumn `json:"columns"`
}

// scalarColumn is of the type group, with a list of texts in each row, or of
// the type number.
type scalarColumn struct {
	Name   string      `json:"name"`
	Type   string      `json:"type"`
	Values []any       `json:"values"`
	Meta   *numberMeta `json:"meta,omitempty"`
}

type numberMeta struct {
	Unit []*Unit `json:"unit"`
}

// OfScalar writes a row for each group that any column has, in the order in
// which they are met; null is no value.
func OfScalar(columns []Column) Scalar {
	var out Scalar
	out.Data.ID, out.Data.Type = "0", "scalar_response"
	all := []scalarColumn{}
	rows := map[string]int{}
	var tags [][]string
	for _, c := range columns {
		for _, g := range c.Groups {
			key := strings.Join(g.Tags, ",")
			if _, seen := rows[key]; !seen {
				rows[key] = len(tags)
				tags = append(tags, g.Tags)
			}
		}
	}
	for _, key := range keysOf(tags) {
		one := scalarColumn{Name: key, Type: "group", Values: make([]any, len(tags))}
		for i, list := range tags {
			one.Values[i] = valuesOf(list, key)
		}
		all = append(all, one)
	}
	for _, c := range columns {
		one := scalarColumn{Name: c.Name, Type: "number", Values: make([]any, len(tags)), Meta: &numberMeta{}}
		for _, g := range c.Groups {
			one.Meta.Unit = units(g.Unit)
			if v := g.Values[0]; !math.IsNaN(v) && !math.IsInf(v, 0) {
				one.Values[rows[strings.Join(g.Tags, ",")]] = v
			}
		}
		all = append(all, one)
	}
	out.Data.Attributes.Columns = all
	return out
}

// keysOf are the keys of all groups, in the order in which they are met.
func keysOf(groups [][]string) []string {
	var keys []string
	for _, tags := range groups {
		for _, t := range tags {
			if key, _, _ := strings.Cut(t, ":"); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// valuesOf is what a group has for a key; without the tag it is empty.
func valuesOf(tags []string, key string) []string {
	out := []string{}
	for _, t := range tags {
		if v, ok := strings.CutPrefix(t, key+":"); ok && v != "N/A" {
			out = append(out, v)
		}
	}
	return out
}
