package groups

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		group Group
		valid bool
	}{
		{"plain", Group{Name: "Stewards"}, true},
		{"longest", Group{Name: strings.Repeat("é", 255), Description: strings.Repeat("é", 4096)}, true},
		{"blank name", Group{Name: " "}, false},
		{"long name", Group{Name: strings.Repeat("a", 256)}, false},
		{"long description", Group{Name: "a", Description: strings.Repeat("a", 4097)}, false},
	} {
		if err := tc.group.check(); (err == nil) != tc.valid {
			t.Errorf("%s: got %v, want valid %v", tc.name, err, tc.valid)
		}
	}
}

// On the public site nothing is hidden, and no viewer has private items in a list.
func TestVisibilityOnThePublicSite(t *testing.T) {
	t.Parallel()
	v, err := (&Groups{}).Visibility(t.Context(), Viewer{UserID: 7})
	if err != nil || v != (Visibility{All: true}) {
		t.Errorf("got %+v, %v", v, err)
	}
}
