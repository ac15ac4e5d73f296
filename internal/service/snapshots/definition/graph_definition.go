package definition

import (
	"encoding/json"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Bounds of a graph definition.
const (
	maxDefinition = 512 << 10
	maxValues     = 20_000 // JSON values of a definition
	maxRequests   = 50
	maxMarkers    = 50
	maxSearches   = 20 // of events
	maxPerRequest = 50 // queries, formulas, aliases or formats of a request
	maxLabel      = 1000
	maxTitle      = 1000
)

// Graph is a graph definition as written: the older form with viz and q
// and the newer widget form with type, queries and formulas. Members that
// writers spell in several types are kept raw.
type Graph struct {
	Viz        string    `json:"viz"`
	Type       string    `json:"type"`
	Requests   []Request `json:"requests"`
	Events     []Search  `json:"events"`
	YAxis      Axis      `json:"yaxis"`
	RightAxis  Axis      `json:"right_yaxis"`
	Markers    []Marker  `json:"markers"`
	Title      string    `json:"title"`
	ShowLegend Scalar    `json:"show_legend"`
	Legend     string    `json:"legend_layout"`
	Precision  Scalar    `json:"precision"`
	Autoscale  Scalar    `json:"autoscale"`
}

// Request is one entry of requests.
type Request struct {
	Q              string    `json:"q"`
	Queries        []Query   `json:"queries"`
	Formulas       []Formula `json:"formulas"`
	Type           string    `json:"type"`
	DisplayType    string    `json:"display_type"`
	Stacked        Scalar    `json:"stacked"`
	Aggregator     string    `json:"aggregator"`
	Style          Style     `json:"style"`
	Metadata       []Alias   `json:"metadata"`
	Formats        []Format  `json:"conditional_formats"`
	ChangeType     string    `json:"change_type"`
	CompareTo      string    `json:"compare_to"`
	OrderBy        string    `json:"order_by"`
	OrderDirection string    `json:"order_dir"`
	IncreaseGood   Scalar    `json:"increase_good"`
	OnRightAxis    Scalar    `json:"on_right_yaxis"`
}

// Query is a named query of a request.
type Query struct {
	Name       string `json:"name"`
	Query      string `json:"query"`
	DataSource string `json:"data_source"`
	Aggregator string `json:"aggregator"`
}

// Formula is arithmetic over named queries.
type Formula struct {
	Formula string `json:"formula"`
	Alias   string `json:"alias"`
}

// Alias names an expression.
type Alias struct {
	Expression string `json:"expression"`
	Alias      string `json:"alias_name"`
}

// Style is how lines look, in the newer and the older words.
type Style struct {
	Palette   string `json:"palette"`
	LineType  string `json:"line_type"`
	LineWidth string `json:"line_width"`
	Type      string `json:"type"`
	Width     string `json:"width"`
}

// Search finds events.
type Search struct {
	Q string `json:"q"`
}

// Axis is a value axis.
type Axis struct {
	Min         Scalar          `json:"min"`
	Max         Scalar          `json:"max"`
	Scale       string          `json:"scale"`
	Label       string          `json:"label"`
	IncludeZero Scalar          `json:"include_zero"`
	Filter      json.RawMessage `json:"filter"`
}

// Marker is a line or a range of values.
type Marker struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	DisplayType string `json:"display_type"`
	Type        string `json:"type"`
}

// Format is a conditional format.
type Format struct {
	Comparator string `json:"comparator"`
	Value      Scalar `json:"value"`
	Palette    string `json:"palette"`
	Background string `json:"custom_bg_color"`
	Foreground string `json:"custom_fg_color"`
	HideValue  Scalar `json:"hide_value"`
}

// Scalar is a JSON string, number or boolean, kept as text; writers of graph
// definitions use them interchangeably.
type Scalar string

// UnmarshalJSON takes null as absent.
func (s *Scalar) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(s))
	}
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		return errInvalid("expected a number, a text or a boolean")
	}
	if string(b) != "null" {
		*s = Scalar(b)
	}
	return nil
}

// Number reads a number; "auto" and empty have none.
func (s Scalar) Number(name string) (*float64, error) {
	text := strings.TrimSpace(string(s))
	if text == "" || text == "auto" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != v || v > 1e300 || v < -1e300 {
		return nil, errInvalid("graph_def: %s: %q is not a number", name, text)
	}
	return &v, nil
}

// Boolean reads true and false; anything else is nil.
func (s Scalar) Boolean() *bool {
	v, err := strconv.ParseBool(string(s))
	if err != nil {
		return nil
	}
	return &v
}

// IsTrue reports whether the text is a true boolean.
func (s Scalar) IsTrue() bool {
	b := s.Boolean()
	return b != nil && *b
}

// Parse reads a graph definition. Callers that encode twice send a
// text that is still percent-encoded; the caller undoes that.
func Parse(text string) (Graph, error) {
	var d Graph
	if len(text) > maxDefinition {
		return d, errInvalid("graph_def is longer than %d bytes", maxDefinition)
	}
	if err := wire.DecodeJSON([]byte(text), &d, wire.MaxValues(maxValues)); err != nil {
		return d, &Error{Message: "graph_def is not a graph definition: " + query.Clip(err.Error()), cause: err}
	}
	switch {
	case len(d.Requests) == 0:
		return d, errInvalid("graph_def: requests must be a list with at least one request")
	case len(d.Requests) > maxRequests:
		return d, errInvalid("graph_def: at most %d requests, not %d", maxRequests, len(d.Requests))
	case len(d.Markers) > maxMarkers:
		return d, errInvalid("graph_def: at most %d markers, not %d", maxMarkers, len(d.Markers))
	case len(d.Events) > maxSearches:
		return d, errInvalid("graph_def: at most %d searches for events, not %d", maxSearches, len(d.Events))
	case len(d.YAxis.Label) > maxLabel || len(d.RightAxis.Label) > maxLabel:
		return d, errInvalid("graph_def: the label of an axis is longer than %d bytes", maxLabel)
	}
	for _, m := range d.Markers {
		if len(m.Label) > maxLabel || len(m.Value) > maxLabel || len(m.DisplayType) > maxLabel {
			return d, errInvalid("graph_def: a marker is longer than %d bytes", maxLabel)
		}
	}
	for _, e := range d.Events {
		if len(e.Q) > maxTitle {
			return d, errInvalid("graph_def: a search for events is longer than %d bytes", maxTitle)
		}
	}
	for i := range d.Requests {
		if err := d.Requests[i].Check(); err != nil {
			return d, err
		}
	}
	return d, nil
}

// Check bounds the lists of a request.
func (r *Request) Check() error {
	for _, list := range []struct {
		name string
		n    int
	}{
		{"queries", len(r.Queries)}, {"formulas", len(r.Formulas)}, {"metadata", len(r.Metadata)},
		{"conditional_formats", len(r.Formats)},
	} {
		if list.n > maxPerRequest {
			return errInvalid("graph_def: a request has at most %d %s, not %d", maxPerRequest, list.name, list.n)
		}
	}
	for _, f := range r.Formulas {
		if len(f.Alias) > maxLabel {
			return errInvalid("graph_def: an alias is longer than %d bytes", maxLabel)
		}
	}
	for _, m := range r.Metadata {
		if len(m.Alias) > maxLabel {
			return errInvalid("graph_def: an alias is longer than %d bytes", maxLabel)
		}
	}
	return nil
}

// Synthesize is the definition that stands for a plain metric query.
func Synthesize(metricQuery string) string {
	var b wire.Builder
	b.Object().Key("requests").Array().Object().Key("q").Text(metricQuery).End().End().End()
	return string(b.Bytes())
}

// UnknownKind says which kinds there are, and of the vendor's others what is missing.
func UnknownKind(kind string) *Error {
	reason := "is not a kind of graph"
	switch kind {
	case "query_table", "treemap", "sunburst":
		reason = "is not drawn here; a toplist shows the same groups and values"
	case "scatterplot":
		reason = "is not drawn here; a timeseries with on_right_yaxis shows two queries together"
	case "hostmap":
		reason = "is not drawn here; a toplist or a heatmap by {host} shows the same values"
	case "slo", "note", "free_text", "image", "iframe", "log_stream", "check_status", "alert_graph", "alert_value":
		reason = "is not a graph of metrics"
	}
	return errInvalid("graph_def: viz %q %s; use timeseries, toplist, query_value, heatmap, distribution or change", kind,
		reason)
}

// Compare is how many seconds back a change looks.
func (r *Request) Compare() (int64, error) {
	switch s := r.CompareTo; s {
	case "hour_before", "":
		return 3600, nil
	case "day_before":
		return 86400, nil
	case "week_before":
		return 7 * 86400, nil
	case "month_before":
		return 28 * 86400, nil
	default:
		return 0, errInvalid(
			"graph_def: compare_to %q is none of hour_before, day_before, week_before and month_before", s,
		)
	}
}
