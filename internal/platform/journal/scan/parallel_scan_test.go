package scan_test

import (
	"slices"
	"testing"

	"stoa.dev/stoa/internal/platform/journal/scan"
)

// TestMatching: whatever the length, the same as looking at one after the other.
func TestMatching(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 255, 256, 257, 16_639, 16_640, 16_641, 50_000} {
		list := make([]int, n)
		var want []int
		for i := range list {
			if list[i] = i; i%3 == 0 {
				want = append(want, i)
			}
		}
		third := func(v int) bool { return v%3 == 0 }
		if got := slices.Collect(scan.Matching(slices.Values(list), third)); !slices.Equal(got, want) {
			t.Errorf("%d values: %d match, want %d", n, len(got), len(want))
		}
		for v := range scan.Matching(slices.Values(list), third) {
			if v != 0 {
				t.Errorf("%d values: the first is %d", n, v)
			}
			break
		}
	}
}
