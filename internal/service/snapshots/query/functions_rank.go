package query

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// shorthand reads names such as top10_mean and bottom5.
func shorthand(name string) (n int, by, order string, ok bool) {
	m := regexp.MustCompile(
		`^(top|bottom)(5|10|15|20)(?:_(mean|min|max|last|area|l2norm|sum))?$`,
	).FindStringSubmatch(name)
	if m == nil {
		return 0, "", "", false
	}
	n, _ = strconv.Atoi(m[2]) // the pattern allows digits only
	by, order = "mean", "desc"
	if m[3] != "" {
		by = m[3]
	}
	if m[1] == "bottom" {
		order = "asc"
	}
	return n, by, order, true
}

// ranking keeps the groups with the greatest or least values.
func ranking(name string) (function, bool) {
	switch name {
	case "top", "top_offset", "bottom":
		order := "desc"
		if name == "bottom" {
			order = "asc"
		}
		args := "q|nss"
		if name == "top_offset" {
			args = "qnssn"
		}
		return function{args: args, keeps: true, apply: func(c *Call, list []Series) ([]Series, error) {
			return rank(list, c.num(1, 10), c.text(2, "mean"), c.text(3, order), c.num(4, 0))
		}}, true
	case "over_range":
		return function{args: "q|s", keeps: true, apply: func(c *Call, list []Series) ([]Series, error) {
			return overRange(list, c.text(1, "avg"))
		}}, true
	}
	if n, by, order, ok := shorthand(name); ok {
		return function{args: "q", keeps: true, apply: func(_ *Call, list []Series) ([]Series, error) {
			return rank(list, float64(n), by, order, 0)
		}}, true
	}
	return function{}, false
}

func rank(list []Series, n float64, by, order string, offset float64) ([]Series, error) {
	if !slices.Contains([]string{"max", "mean", "min", "sum", "last", "l2norm", "area"}, by) {
		return nil, fmt.Errorf("top ranks by 'max', 'mean', 'min', 'sum', 'last', 'l2norm' or 'area', not %q", by)
	}
	if order != "asc" && order != "desc" {
		return nil, fmt.Errorf("top orders by 'asc' or 'desc', not %q", order)
	}
	if n < 1 || n > 1000 || offset < 0 || offset > 1e6 {
		return nil, fmt.Errorf("top keeps 1 to 1000 series")
	}
	type ranked struct {
		s Series
		v float64
	}
	var all []ranked
	for _, s := range list {
		if v := Reduce(s.Values, by); !math.IsNaN(v) {
			all = append(all, ranked{s, v})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		switch {
		case a.v == b.v:
			return 0
		case (a.v > b.v) == (order == "desc"):
			return -1
		default:
			return 1
		}
	})
	from := min(int(offset), len(all))
	to := min(from+int(n), len(all))
	out := make([]Series, 0, to-from)
	for _, r := range all[from:to] {
		out = append(out, r.s)
	}
	return out, nil
}
