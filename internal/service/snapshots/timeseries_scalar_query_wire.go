package snapshots

import "stoa.dev/stoa/internal/service/snapshots/definition"

type timeseriesRequest struct {
	Data struct {
		Type       string `json:"type"`
		Attributes struct {
			From     int64               `json:"from"`
			To       int64               `json:"to"`
			Interval int64               `json:"interval"`
			Queries  []definition.Query  `json:"queries"`
			Formulas []limitedDefinition `json:"formulas"`
		} `json:"attributes"`
	} `json:"data"`
}

// limitedDefinition is a formula of which only some series are wanted.
type limitedDefinition struct {
	Formula string `json:"formula"`
	Limit   *struct {
		Count int    `json:"count"`
		Order string `json:"order"`
	} `json:"limit"`
}

// request is the definition that a graph of the same queries would have.
func (q *timeseriesRequest) request() definition.Request {
	out := definition.Request{Queries: q.Data.Attributes.Queries}
	for _, f := range q.Data.Attributes.Formulas {
		out.Formulas = append(out.Formulas, definition.Formula{Formula: f.Formula})
	}
	return out
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
