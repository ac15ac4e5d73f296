package analytics

import (
	"slices"
	"time"

	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// Standing is how a place does for one keyword of a report.
type Standing struct {
	Place ranking.Place
	// AveragePosition counts a point where the place is not found as 21.
	AveragePosition float64
	// ShareOfVoice is in percent: the mean of the weights of the positions.
	ShareOfVoice float64
	// ShareOfTop3 is in percent of the points.
	ShareOfTop3 float64
}

// voiceWeight is how much of the attention a position gets, in tenths of a percent.
func voiceWeight(position int) int {
	weights := [...]int{240, 160, 115, 85, 65, 50, 40, 32, 26, 22, 19, 16, 14, 12, 10, 9, 8, 7, 6, 5}
	if position < 1 || position > len(weights) {
		return 0
	}
	return weights[position-1]
}

// positions is where the first place that matches stands at each point.
func (d keywordRanks) positions(match func(ranking.Place) bool) []int {
	matches := make([]bool, len(d.Places))
	for i, p := range d.Places {
		matches[i] = match(p)
	}
	out := make([]int, len(d.Ranks))
	for p, list := range d.Ranks {
		out[p] = notFoundPosition
		if i := slices.IndexFunc(list, func(place int) bool { return matches[place] }); i >= 0 {
			out[p] = i + 1
		}
	}
	return out
}

// measure is the standing over all points.
func (d keywordRanks) measure(match func(ranking.Place) bool) Standing {
	return standingOf(d.positions(match))
}

func standingOf(positions []int) Standing {
	if len(positions) == 0 {
		return Standing{AveragePosition: notFoundPosition}
	}
	sum, heard, top := 0, 0, 0
	for _, p := range positions {
		sum += p
		heard += voiceWeight(p)
		if p <= 3 {
			top++
		}
	}
	n := float64(len(positions))
	return Standing{
		AveragePosition: round2(float64(sum) / n), ShareOfVoice: round2(float64(heard) / 10 / n),
		ShareOfTop3: round2(float64(top) * 100 / n),
	}
}

// standings measures every place that ranks somewhere, in one pass.
func (d keywordRanks) standings() []Standing {
	positions := make([][]int, len(d.Places))
	for i := range positions {
		positions[i] = make([]int, len(d.Ranks))
		for p := range d.Ranks {
			positions[i][p] = notFoundPosition
		}
	}
	for p, list := range d.Ranks {
		for at, place := range list {
			positions[place][p] = at + 1
		}
	}
	out := make([]Standing, len(d.Places))
	for i, place := range d.Places {
		out[i] = standingOf(positions[i])
		out[i].Place = place
	}
	return out
}

// DatedStanding is how a place did in one report.
type DatedStanding struct {
	Date time.Time
	Standing
}
