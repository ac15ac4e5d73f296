package definition

import (
	"strings"

	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

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

// Substitute writes the queries of a formula in place of their names. It stops
// where the result is longer than a query may be.
func Substitute(where, formula string, names map[string]string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(formula); {
		if out.Len() > query.MaxLength {
			return "", errInvalid("%s: a formula is longer than %d bytes when its queries are written out", where,
				query.MaxLength)
		}
		j := i
		for j < len(formula) && isNameByte(formula[j]) {
			j++
		}
		if j == i {
			out.WriteByte(formula[i])
			i++
			continue
		}
		word := formula[i:j]
		if q, ok := names[word]; ok && word != "" {
			out.WriteString("(" + q + ")")
		} else {
			out.WriteString(word)
		}
		i = j
	}
	return out.String(), nil
}

func isNameByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}
