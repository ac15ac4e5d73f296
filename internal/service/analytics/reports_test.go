package analytics

import (
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// A request may name as many places as its address holds, and is answered for all of them in every report: each place
// of a report is looked up and not compared with all.
func TestManyPlacesInManyReports(t *testing.T) {
	t.Parallel()
	filter := PlaceFilter{}
	for i := range 30_000 {
		filter.PlaceIDs = append(filter.PlaceIDs, fmt.Sprintf("asked-%05d", i))
	}
	places := make([]ranking.Place, 4500)
	for i := range places {
		places[i].ID = fmt.Sprintf("ranks-%05d", i)
	}
	places[20].ID = filter.PlaceIDs[29_999]
	history := make([]datedRanking, 100)
	for i := range history {
		history[i].keywordRanks = keywordRanks{Places: places, Ranks: [][]int{{19, 20}}}
	}
	start := time.Now()
	got := measureHistory(history, filter.match(Campaign{}))
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("%d places in %d reports took %s", len(filter.PlaceIDs), len(history), took)
	}
	if got[99].AveragePosition != 2 {
		t.Errorf("the place is at %v, want 2", got[99].AveragePosition)
	}
}
