package columns_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli/columns"
)

func TestTable(t *testing.T) {
	t.Parallel()
	head, rows := []string{"ID", "ADDRESS"}, [][]string{{"1", "https://example.com/long"}, {"22", "ö"}}
	for width, want := range map[int]string{
		0:  "ID  ADDRESS\n1   https://example.com/long\n22  ö\n",
		16: "ID  ADDRESS\n1   https://exa…\n22  ö\n",
		9:  "ID      …\nADDRESS …\n\nID      …\nADDRESS …\n",
	} {
		got := columns.Layout{Width: width}.Table(head, rows)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("width %d:\n%s", width, got)
		}
	}
	if got := (columns.Layout{Width: 80, Bold: true}).Table([]string{"A"}, nil); got != "\x1b[1mA\x1b[0m\n" {
		t.Errorf("bold: %q", got)
	}
}
