package snapshots

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/definition"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// handleScalar evaluates formulas to one number of each group.
func (s *Service) handleScalar(w http.ResponseWriter, r *route.Request) error {
	var in scalarRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}

	t := tenantOf(identity.From(r))
	e, err := s.evaluate(r.Context(), t)
	if err != nil {
		return err
	}
	defer e.release()
	columns, err := s.Scalar(r.Context(), t, e, in)
	if err != nil {
		return err
	}

	noStore(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, scalarToWire(columns))
}

type scalarRequest struct {
	Data struct {
		Type       string `json:"type"`
		Attributes struct {
			From     int64               `json:"from"`
			To       int64               `json:"to"`
			Queries  []definition.Query  `json:"queries"`
			Formulas []limitedDefinition `json:"formulas"`
		} `json:"attributes"`
	} `json:"data"`
}

// scalarColumn is what one formula or query gives: a series with one value for
// each group.
type scalarColumn struct {
	name   string
	groups []query.Series
}

// Scalar evaluates a request; there is a column for each formula, or for each
// query when there are no formulas.
func (s *Service) Scalar(ctx context.Context, t Tenant, e *evaluation, in scalarRequest) ([]scalarColumn, error) {
	a := &in.Data.Attributes
	if err := checkRange(a.From, a.To); err != nil {
		return nil, err
	}
	r := definition.Request{Queries: a.Queries}
	for _, f := range a.Formulas {
		r.Formulas = append(r.Formulas, definition.Formula{Formula: f.Formula})
	}
	if err := r.Check(); err != nil {
		return nil, errDefinition(err)
	}
	left := newPlanBudget()
	planned, err := parseQueries(&left, "data.attributes", &r, true)
	if err != nil {
		return nil, errDefinition(err)
	}
	var out []scalarColumn
	var size pictureSize
	for i, p := range planned {
		list, err := s.run(ctx, t, e, p, query.Range{From: a.From / 1000, To: a.To / 1000})
		if err == nil {
			err = size.add(list)
		}
		if err != nil {
			return nil, err
		}
		for j := range list {
			list[j].Values = []float64{query.Reduce(list[j].Values, p.aggregator)}
		}
		one := scalarColumn{groups: list}
		if i < len(a.Formulas) {
			one.name = a.Formulas[i].Formula
			one.groups, err = a.Formulas[i].limit(fmt.Sprintf("formulas[%d]", i), list)
		} else {
			one.name = a.Queries[i].Name
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

type scalarResponse struct {
	Data struct {
		ID         string           `json:"id"`
		Type       string           `json:"type"`
		Attributes scalarAttributes `json:"attributes"`
	} `json:"data"`
}

type scalarAttributes struct {
	// Columns are groups first, then numbers.
	Columns []scalarColumnJSON `json:"columns"`
}

// scalarColumnJSON is of the type group, with a list of texts in each row, or of
// the type number.
type scalarColumnJSON struct {
	Name   string          `json:"name"`
	Type   string          `json:"type"`
	Values []any           `json:"values"`
	Meta   *numberMetaJSON `json:"meta,omitempty"`
}

type numberMetaJSON struct {
	Unit []*unitJSON `json:"unit"`
}

// scalarToWire writes a row for each group that any column has, in the order in
// which they are met; null is no value.
func scalarToWire(columns []scalarColumn) scalarResponse {
	var out scalarResponse
	out.Data.ID, out.Data.Type = "0", "scalar_response"
	all := []scalarColumnJSON{}
	rows := map[string]int{}
	var tags [][]string
	for _, c := range columns {
		for _, g := range c.groups {
			key := strings.Join(g.Tags, ",")
			if _, seen := rows[key]; !seen {
				rows[key] = len(tags)
				tags = append(tags, g.Tags)
			}
		}
	}
	for _, key := range groupKeysOf(tags) {
		one := scalarColumnJSON{Name: key, Type: "group", Values: make([]any, len(tags))}
		for i, list := range tags {
			one.Values[i] = valuesOf(list, key)
		}
		all = append(all, one)
	}
	for _, c := range columns {
		one := scalarColumnJSON{Name: c.name, Type: "number", Values: make([]any, len(tags)), Meta: &numberMetaJSON{}}
		for _, g := range c.groups {
			one.Meta.Unit = unitToWire(g.Unit)
			if v := g.Values[0]; !math.IsNaN(v) && !math.IsInf(v, 0) {
				one.Values[rows[strings.Join(g.Tags, ",")]] = v
			}
		}
		all = append(all, one)
	}
	out.Data.Attributes.Columns = all
	return out
}

// groupKeysOf are the keys of all groups, in the order in which they are met.
func groupKeysOf(groups [][]string) []string {
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
