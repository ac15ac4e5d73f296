package main

import (
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
)

// tables makes the two tables of words of a module called tasks.
func tables(t *testing.T, own, shared string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"internal/service/tasks/reference.tsv": own, "test/openapi/parameters.tsv": shared,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestWords: words are found where they stand, and both missing and left-over ones
// are errors.
func TestWords(t *testing.T) {
	t.Parallel()
	const shared = "parameter\tpage\tThe page.\n"
	for _, row := range []struct{ name, own, comment, summary, page, err string }{
		{
			name: "table", own: "operation\ttasks.list\tLists\tMore.\nparameter\ttasks.list:page\tThis page.\n",
			summary: "Lists", page: "This page.",
		},
		{name: "comment", comment: "handleList lists tasks. All\nof them.\n", summary: "Lists tasks", page: "The page."},
		{name: "nothing", err: "operation tasks.list (handleList) has no words", page: "The page."},
		{
			name: "too long", own: "operation\ttasks.list\t" + strings.Repeat("x", 91) + "\n", page: "The page.",
			summary: strings.Repeat("x", 91), err: "91 characters",
		},
		{
			name: "left over", own: "operation\ttasks.list\tLists\noperation\ttasks.gone\tGoes\nparameter\tgone\tGone.\n",
			summary: "Lists", page: "The page.", err: "tasks.gone, which is not in the route table",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w, err := readWords(tables(t, row.own, shared), "tasks")
			if err != nil {
				t.Fatal(err)
			}
			handler := types.NewFunc(token.NoPos, nil, "handleList", types.NewSignatureType(nil, nil, nil, nil, nil, false))
			got := w.operation(route.Route{Name: "tasks.list"}, handler, row.comment)
			page := w.parameter("tasks.list", "page")
			if got.summary != row.summary || page != row.page {
				t.Errorf("summary %q, parameter %q; want %q, %q", got.summary, page, row.summary, row.page)
			}
			if err := w.check(); (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
				t.Errorf("got %v, want %q", err, row.err)
			}
		})
	}
}

// TestWordsThatCannotBeRead: a row of neither form, and one that comes twice.
func TestWordsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"operation\tx\n", "x\n", "parameter\ta\tA.\nparameter\ta\tB.\n"} {
		if _, err := readWords(tables(t, own, ""), "tasks"); err == nil || !strings.Contains(err.Error(), "reference.tsv:") {
			t.Errorf("%q: %v", own, err)
		}
	}
	w, err := readWords(tables(t, "", ""), "tasks")
	if err != nil {
		t.Fatal(err)
	}
	if w.parameter("tasks.list", "page"); w.check() == nil {
		t.Error("a parameter without words is no error")
	}
}
