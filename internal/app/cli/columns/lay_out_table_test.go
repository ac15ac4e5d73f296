package columns_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/app/cli/columns"
)

func TestTable(t *testing.T) {
	t.Parallel()
	head := []string{"ID", "ADVICE"}
	rows := [][]string{{"1", "start it again with another port"}, {"22", "ö"}}
	for width, want := range map[int]string{
		0:  "ID  ADVICE\n1   start it again with another port\n22  ö\n",
		16: "ID  ADVICE\n1   start it\n    again with\n    another port\n22  ö\n",
		8:  "ID\n  1\nADVICE\n  start\n  it\n  again\n  with\n  anothe\n  r port\n\nID\n  22\nADVICE\n  ö\n",
	} {
		if got := (columns.Layout{Width: width}).Table(head, rows); got != want {
			t.Errorf("width %d:\n%s", width, got)
		}
	}
	if got := (columns.Layout{Width: 80, Bold: true}).Table([]string{"A"}, nil); got != "\x1b[1mA\x1b[0m\n" {
		t.Errorf("bold: %q", got)
	}
}

// TestNothingIsCut: every word of every cell is shown, times in one piece, and no line is
// longer than the terminal.
func TestNothingIsCut(t *testing.T) {
	t.Parallel()
	head := []string{"ID", "CREATED", "ADDRESS", "OPERATIONS"}
	list := strings.Repeat("tasks.lists.insert"+columns.Break, 40)
	rows := [][]string{{"local-7f2a9c01", "2026-03-01 09:00:00", "https://registry.example/a/b/c", list}}
	for _, width := range []int{0, 40, 60, 80, 120, 400} {
		got := columns.Layout{Width: width}.Table(head, rows)
		for _, want := range []string{rows[0][0], rows[0][1], rows[0][2], "tasks.lists.insert"} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d lacks %q:\n%s", width, want, got)
			}
		}
		if n := strings.Count(got, "tasks.lists.insert"); n != 40 || strings.Contains(got, "…") {
			t.Errorf("width %d: %d of 40 operations\n%s", width, n, got)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > max(width, 100) {
				t.Errorf("width %d: a line has %d letters", width, n)
			}
		}
	}
}

func TestParagraph(t *testing.T) {
	t.Parallel()
	if got := columns.Paragraph("one two\n  three four five\n", 12); got != "one two\n  three four\n  five\n" {
		t.Errorf("got %q", got)
	}
}
