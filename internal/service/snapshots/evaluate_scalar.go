package snapshots

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/service/snapshots/answer"
	"stoa.dev/stoa/internal/service/snapshots/definition"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Scalar evaluates a request; there is a column for each formula, or for each
// query when there are no formulas.
func (s *Service) Scalar(ctx context.Context, t Tenant, e *evaluation, in scalarRequest) ([]answer.Column, error) {
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
	var out []answer.Column
	var size pictureSize
	for i, p := range planned {
		list, err := s.runQuery(ctx, t, e, p, query.Range{From: a.From / 1000, To: a.To / 1000})
		if err == nil {
			err = size.add(list)
		}
		if err != nil {
			return nil, err
		}
		for j := range list {
			list[j].Values = []float64{query.Reduce(list[j].Values, p.aggregator)}
		}
		one := answer.Column{Groups: list}
		if i < len(a.Formulas) {
			one.Name = a.Formulas[i].Formula
			one.Groups, err = a.Formulas[i].limit(fmt.Sprintf("formulas[%d]", i), list)
		} else {
			one.Name = a.Queries[i].Name
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}
