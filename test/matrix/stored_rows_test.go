package matrix_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// storedRows are all rows of all tables, as text, by table.
func storedRows(t *testing.T, h *conformance.Server) iter.Seq2[string, string] {
	t.Helper()
	db := h.App().World().DB
	var tables []string
	rows, err := db.Query(t.Context(), `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, string) bool) {
		for _, table := range tables {
			for _, row := range tableRows(t, h, table) {
				if !yield(table, row) {
					return
				}
			}
		}
	}
}

func tableRows(t *testing.T, h *conformance.Server, table string) []string {
	t.Helper()
	db := h.App().World().DB
	var columns []string
	names, err := db.Query(t.Context(), `SELECT name FROM pragma_table_info('`+table+`')`)
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, `COALESCE(CAST("`+name+`" AS TEXT), '')`)
	}
	rows, err := db.Query(t.Context(), `SELECT `+strings.Join(columns, ` || ' ' || `)+` FROM "`+table+`"`)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", table, err))
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", table, err))
		}
		out = append(out, row)
	}
	return out
}
