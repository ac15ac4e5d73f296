package resourcepages

import (
	"maps"
	"slices"

	"stoa.dev/stoa/internal/platform/resource"
)

// members are the texts of an answer at its first level, for what is shown once.
func members(value any) []cell {
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	var out []cell
	for _, name := range sortedNames(object) {
		switch object[name].(type) {
		case string, float64, bool:
			out = append(out, cell{Title: words(name), Text: textOf(object[name]), Kind: resource.Code})
		}
	}
	return out
}

// table is a list of objects in an answer.
type table struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// tables are the lists of objects at the first level of an answer, for what is shown once.
func tables(value any) []table {
	object, _ := value.(map[string]any)
	var out []table
	for _, name := range sortedNames(object) {
		list, _ := object[name].([]any)
		columns := map[string]bool{}
		for _, item := range list {
			inner, _ := item.(map[string]any)
			for member := range inner {
				columns[member] = true
			}
		}
		if len(columns) == 0 {
			continue
		}
		t := table{Title: words(name)}
		names := slices.Sorted(maps.Keys(columns))
		for _, member := range names {
			t.Columns = append(t.Columns, words(member))
		}
		for _, item := range list {
			inner, _ := item.(map[string]any)
			row := make([]string, 0, len(names))
			for _, member := range names {
				row = append(row, textOf(inner[member]))
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	return out
}
