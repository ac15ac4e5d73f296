package gomod

import "testing"

func TestPrunes(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"": false, "1.16": false, "1.17": true, "1.21.3": true, "1.21rc1": true, "2.0": true, "x": false,
	} {
		if got := prunes(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}
