package npm

import (
	"testing"

	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// TestChoose: what is tagged latest goes first, deprecated versions last.
func TestChoose(t *testing.T) {
	t.Parallel()
	list := make([]graph.Listed, 4)
	for i, v := range []string{"1.0.0", "1.1.0", "1.2.0", "2.0.0"} {
		list[i].Key.Version = v
	}
	list[1].Default, list[2].Withdrawn = true, true
	for spec, want := range map[string]string{
		"^1": "1.1.0", "*": "1.1.0", "latest": "1.1.0", ">=1.2": "2.0.0", "~1.2": "1.2.0", "^3": "", "next": "",
	} {
		if got := choose(list, spec); got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
	for _, row := range []struct {
		list []string
		want bool
	}{
		{nil, true}, {[]string{"linux"}, true}, {[]string{"darwin"}, false}, {[]string{"!win32"}, true},
		{[]string{"!linux"}, false},
	} {
		if got := admits(row.list, "linux"); got != row.want {
			t.Errorf("%v: %v", row.list, got)
		}
	}
}
