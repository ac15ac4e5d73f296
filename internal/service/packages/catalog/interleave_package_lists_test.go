package catalog_test

import (
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// TestInTurn: a long list does not keep the others from their turn.
func TestInTurn(t *testing.T) {
	t.Parallel()
	lists := [][]catalog.PackageKey{{{Name: "a1"}, {Name: "a2"}, {Name: "a3"}}, {}, {{Name: "c1"}, {Name: "c2"}}}
	for most, want := range []string{"[]", "[a1]", "[a1 c1]", "[a1 c1 a2]", "[a1 c1 a2 c2]", "[a1 c1 a2 c2 a3]",
		"[a1 c1 a2 c2 a3]"} {
		names := []string{}
		for _, k := range catalog.InTurn(lists, most) {
			names = append(names, k.Name)
		}
		if got := fmt.Sprint(names); got != want {
			t.Errorf("%d of them: %s, want %s", most, got, want)
		}
	}
}
