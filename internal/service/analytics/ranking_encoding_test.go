package analytics

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

func TestRanksRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(1, 4500).Draw(t, "places")
		ranks := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, places-1), 0, maxPosition), 1, 20).Draw(t, "ranks")
		got, err := decodeRanks(encodeRanks(ranks), places)
		if err != nil || cmp.Diff(ranks, got) != "" {
			t.Fatalf("got %v %v, want %v", got, err, ranks)
		}
	})
}

// What is stored is never trusted to be whole.
func FuzzUnpackRanks(f *testing.F) {
	fuzztest.Add(f, encodeRanks([][]int{{0, 1}, {}}), 2)
	fuzztest.Add(f, []byte{3, 0}, 9)
	f.Fuzz(func(t *testing.T, packed []byte, places int) {
		ranks, err := decodeRanks(packed, places)
		if err != nil {
			return
		}
		for _, list := range ranks {
			for _, place := range list {
				if place >= places {
					t.Fatalf("place %d of %d", place, places)
				}
			}
		}
	})
}

func TestNamesRoundTrip(t *testing.T) {
	t.Parallel()
	want := []ranking.Place{{ID: "a", CID: "1"}, {ID: "b b", CID: ""}, {ID: "ü", CID: "2"}}
	if diff := cmp.Diff(want, decodeNames(keywordRanks{Places: want}.encodeNames())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
