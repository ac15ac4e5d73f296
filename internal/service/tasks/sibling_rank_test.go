package tasks

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRanksStayShort is the promise that a hundred thousand tasks at the same
// place need neither long ranks nor a rewritten list.
func TestRanksStayShort(t *testing.T) {
	t.Parallel()
	const n = 100_000
	patterns := map[string]func(ranks []string) (at int, last edge){
		"at the front":              func([]string) (int, edge) { return 0, rightEdge },
		"at the end":                func(r []string) (int, edge) { return len(r), leftEdge },
		"always after the first":    func(r []string) (int, edge) { return min(1, len(r)), rightEdge },
		"each after the one before": func(r []string) (int, edge) { return max(0, len(r)-1), leftEdge },
		"before the last":           func(r []string) (int, edge) { return max(0, len(r)-1), leftEdge },
	}
	for name, place := range patterns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left, right, longest := "", "", 0
			var ranks []string
			for range n {
				at, last := place(ranks)
				left, right = neighbours(ranks, at)
				rank := rankBetween(left, right, last)
				if (left != "" && rank <= left) || (right != "" && rank >= right) {
					t.Fatalf("%q is not between %q and %q", rank, left, right)
				}
				longest = max(longest, len(rank))
				ranks = slices.Insert(ranks, at, rank)
				// Only the neighbourhood matters; keep the test quick.
				if len(ranks) > 8 {
					ranks = trim(ranks, at)
				}
			}
			if longest > 60 {
				t.Errorf("a rank has %d digits, want at most 60", longest)
			}
		})
	}
}

func neighbours(ranks []string, at int) (left, right string) {
	if at > 0 {
		left = ranks[at-1]
	}
	if at < len(ranks) {
		right = ranks[at]
	}
	return left, right
}

// trim drops a rank far from the place, keeping first and last.
func trim(ranks []string, at int) []string {
	if at <= len(ranks)/2 {
		return slices.Delete(ranks, len(ranks)-2, len(ranks)-1)
	}
	return slices.Delete(ranks, 1, 2)
}

func TestRanksKeepAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var ranks []string
		for range rapid.IntRange(1, 300).Draw(t, "inserts") {
			at := rapid.IntRange(0, len(ranks)).Draw(t, "at")
			left, right := neighbours(ranks, at)
			last := edge(rapid.IntRange(0, 2).Draw(t, "last"))
			ranks = slices.Insert(ranks, at, rankBetween(left, right, last))
		}
		for i := 1; i < len(ranks); i++ {
			if ranks[i-1] >= ranks[i] {
				t.Fatalf("rank %d is %q and rank %d is %q", i-1, ranks[i-1], i, ranks[i])
			}
		}
	})
}
