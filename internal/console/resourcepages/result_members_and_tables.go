package resourcepages

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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

// namesFirst orders members: what a thing is called, its secret, and the rest.
func namesFirst(a, b string) int {
	rank := func(name string) int {
		if n := slices.Index([]string{"name", "password"}, name); n >= 0 {
			return n
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// CSV is the table as lines to copy.
func (t table) CSV() string {
	var out strings.Builder
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for n, text := range row {
			if n > 0 {
				out.WriteByte(',')
			}
			if strings.ContainsAny(text, ",\"\n") {
				text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			}
			out.WriteString(text)
		}
		out.WriteByte('\n')
	}
	return out.String()
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
		names := slices.SortedFunc(maps.Keys(columns), namesFirst)
		for _, member := range names {
			t.Columns = append(t.Columns, words(member))
		}
		for _, item := range list {
			inner, _ := item.(map[string]any)
			row := make([]string, 0, len(names))
			for _, member := range names {
				text := textOf(inner[member])
				if said, ok := inner[member].(bool); ok {
					text = map[bool]string{true: "yes", false: "no"}[said]
				}
				row = append(row, text)
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	return out
}
