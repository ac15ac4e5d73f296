package query

import (
	"math"
	"strings"
)

// counting reduces all groups to the number of them that have a value.
func counting(name string) function {
	return function{args: "q", apply: func(_ *Call, list []Series) ([]Series, error) {
		if len(list) == 0 {
			return nil, nil
		}
		out := list[0]
		out.Tags, out.Scope, out.Unit, out.Values = nil, "*", "", make([]float64, len(list[0].Values))
		for _, s := range list {
			for i := range out.Values {
				x := s.at(out.Start + int64(i)*out.Step)
				if !math.IsNaN(x) && (name == "count_not_null" || x != 0) {
					out.Values[i]++
				}
			}
		}
		return []Series{out}, nil
	}}
}

// excludeNull removes the groups of series that lack a tag.
func excludeNull(_ *Call, list []Series) ([]Series, error) {
	var out []Series
	for _, s := range list {
		if !strings.Contains(s.key(), ":N/A") {
			out = append(out, s)
		}
	}
	return out, nil
}
