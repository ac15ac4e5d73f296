package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// row is one line of words.tsv. Its position among those with a name is its Word.
type row struct {
	name, letters, kind, neutral string
	brands                       []string
}

// unnamed is the name of a row that is needed for its kind only: a member is renamed and a
// header noticed whether code names it or not.
const unnamed = "-"

const (
	kindMember = "member"
	kindHeader = "header"
)

func kinds() []string {
	return []string{kindHeader, "query", "path", "segment", kindMember, "scope", "value", "prefix"}
}

func countUnnamed(rows []row) (n int) {
	for _, r := range rows {
		if r.name == unnamed {
			n++
		}
	}
	return n
}

func parse(text string) ([]row, error) {
	var rows []row
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseRow(line)
		if err != nil {
			return nil, fmt.Errorf("dialect: words.tsv line %d: %w", number, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func parseRow(line string) (row, error) {
	cells := strings.Split(line, "\t")
	if len(cells) != 5 {
		return row{}, fmt.Errorf("%d columns, want 5", len(cells))
	}
	if slices.Contains(cells, "") {
		return row{}, fmt.Errorf("an empty column in %q", line)
	}
	r := row{name: cells[0], letters: cells[1], kind: cells[2], neutral: cells[3], brands: strings.Split(cells[4], "|")}
	if strings.Trim(r.letters, "ABCDEFGHIJKLM") != "" {
		return row{}, fmt.Errorf("%q holds a letter that is not a service", r.letters)
	}
	if r.name == unnamed && r.kind != kindMember && r.kind != kindHeader {
		return row{}, fmt.Errorf("a %s without a name is never read", r.kind)
	}
	if !slices.Contains(kinds(), r.kind) {
		return row{}, fmt.Errorf("%q is not a kind", r.kind)
	}
	if slices.Contains(r.brands, "") || slices.Contains(r.brands, r.neutral) {
		return row{}, fmt.Errorf("%q: an empty brand spelling, or one equal to the neutral spelling", r.name)
	}
	return r, nil
}
