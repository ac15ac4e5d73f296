package snapshots

import (
	"context"
	"fmt"
	"slices"

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

// Timeseries evaluates a request; the index of each series is that of its formula,
// or of its query when there are no formulas.
func (s *Service) Timeseries(
	ctx context.Context, t Tenant, e *evaluation, in timeseriesRequest,
) ([]query.Series, error) {
	a := &in.Data.Attributes
	if err := checkRange(a.From, a.To); err != nil {
		return nil, err
	}
	if a.Interval < 0 || a.Interval > query.MaxRollupSeconds*1000 {
		return nil, errInvalid("interval must be a number of milliseconds of at most %d, not %d",
			query.MaxRollupSeconds*1000, a.Interval)
	}
	r := in.request()
	if err := r.Check(); err != nil {
		return nil, errDefinition(err)
	}
	left := newPlanBudget()
	planned, err := parseQueries(&left, "data.attributes", &r, false)
	if err != nil {
		return nil, errDefinition(err)
	}
	var out []query.Series
	var size pictureSize
	for i, p := range planned {
		list, err := s.runQuery(ctx, t, e, p, query.Range{From: a.From / 1000, To: a.To / 1000, Interval: a.Interval / 1000})
		if err == nil && i < len(a.Formulas) {
			list, err = a.Formulas[i].limit(fmt.Sprintf("formulas[%d]", i), list)
		}
		if err == nil {
			err = size.add(list)
		}
		if err != nil {
			return nil, err
		}
		for _, sr := range list {
			sr.Index = i
			out = append(out, sr)
		}
	}
	return out, nil
}

// checkRange refuses what is not a time between two others, in milliseconds.
func checkRange(from, to int64) error {
	if from < 0 || to/1000 > latest || from/1000 >= to/1000 {
		return errInvalid("from (%d) must be before to (%d), both POSIX times in milliseconds", from, to)
	}
	return nil
}

// limit keeps the series with the greatest or the least mean.
func (d limitedDefinition) limit(where string, list []query.Series) ([]query.Series, error) {
	if d.Limit == nil {
		return list, nil
	}
	if d.Limit.Count < 0 || d.Limit.Order != "" && d.Limit.Order != "asc" && d.Limit.Order != "desc" {
		return nil, errInvalid("%s.limit has a count and an order, asc or desc", where)
	}
	slices.SortStableFunc(list, func(a, b query.Series) int {
		n := compareValues(query.Reduce(b.Values, "mean"), query.Reduce(a.Values, "mean"))
		if d.Limit.Order == "asc" {
			n = -n
		}
		return n
	})
	if n := d.Limit.Count; n > 0 && n < len(list) {
		list = list[:n]
	}
	return list, nil
}
