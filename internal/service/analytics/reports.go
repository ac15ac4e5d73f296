package analytics

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
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

// HeatPoint is the position at one point and how it changed: above zero is
// better than in the report before.
type HeatPoint struct {
	Point          MapPoint
	Position, Diff int
}

// Heatmap is one keyword of one report over all points.
type Heatmap struct {
	Keyword Keyword
	Date    time.Time
	Points  []HeatPoint
}

// PlaceFilter names the places a report is asked about; empty means the
// campaign's own business.
type PlaceFilter struct {
	CID      string
	PlaceIDs []string
}

func (f PlaceFilter) match(c Campaign) func(ranking.Place) bool {
	if f.CID == "" && len(f.PlaceIDs) == 0 {
		return matchPlaces([]string{c.Business.ID}, c.Business.CID)
	}
	return matchPlaces(f.PlaceIDs, f.CID)
}

// KeywordStatuses returns the report of a date, or the latest one.
func (s *Service) KeywordStatuses(ctx context.Context, owner int64, id string, date time.Time) (Report, error) {
	c, err := s.GetCampaign(ctx, owner, id)
	if err != nil {
		return Report{}, err
	}
	var r Report
	if date.IsZero() {
		r, err = latestReport(ctx, s.world.DB, id)
	} else {
		r, err = reportByDate(ctx, s.world.DB, id, date)
	}
	switch {
	case errors.Is(err, database.ErrNotFound) && date.IsZero():
		return Report{CampaignID: id, State: StatusCreated, Keywords: c.Keywords}, nil
	case errors.Is(err, database.ErrNotFound):
		return Report{}, errInvalidField("reportDate", "is not one of the campaign's reportDates")
	}
	return r, err
}

// GetHeatmap is where places stand at every point of a report.
func (s *Service) GetHeatmap(
	ctx context.Context, owner int64, id, keywordID string, date time.Time, filter PlaceFilter,
) (Heatmap, error) {
	c, err := s.GetCampaign(ctx, owner, id)
	if err != nil {
		return Heatmap{}, err
	}
	r, err := reportByDate(ctx, s.world.DB, id, date)
	if errors.Is(err, database.ErrNotFound) || err == nil && r.State != StatusCollected {
		return Heatmap{}, errInvalidField("reportDate", "is not one of the campaign's reportDates")
	}
	if err != nil {
		return Heatmap{}, err
	}
	keyword, ok := r.keyword(keywordID)
	if !ok {
		return Heatmap{}, errInvalidField("keywordId", "is not one of the report's keywords")
	}
	now, err := s.positions(ctx, r, keywordID, filter.match(c))
	if err != nil {
		return Heatmap{}, err
	}
	before, err := reportBefore(ctx, s.world.DB, id, date)
	var old map[string]int
	if err == nil {
		old, err = s.positions(ctx, before, keywordID, filter.match(c))
	}
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return Heatmap{}, err
	}
	out := Heatmap{Keyword: keyword, Date: r.Date}
	for _, p := range enabled(r.Points) {
		h := HeatPoint{Point: p, Position: now[p.ID]}
		if was, ok := old[p.ID]; ok {
			h.Diff = was - h.Position
		}
		out.Points = append(out.Points, h)
	}
	return out, nil
}

func (r Report) keyword(id string) (Keyword, bool) {
	for _, k := range r.Keywords {
		if k.ID == id {
			return k, true
		}
	}
	return Keyword{}, false
}

// positions maps the ids of points to positions. A keyword that the report does
// not have gives none.
func (s *Service) positions(
	ctx context.Context, r Report, keywordID string, match func(ranking.Place) bool,
) (map[string]int, error) {
	if _, ok := r.keyword(keywordID); !ok {
		return nil, nil
	}
	doc, err := rankingByKeyword(ctx, s.world.DB, r.CampaignID, r.Date, keywordID)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	positions := doc.positions(match)
	for i, p := range enabled(r.Points) {
		out[p.ID] = notFoundPosition
		if i < len(positions) {
			out[p.ID] = positions[i]
		}
	}
	return out, nil
}

// DatedStanding is how a place did in one report.
type DatedStanding struct {
	Date time.Time
	Standing
}

// GetMetrics is the history of places for one keyword, oldest report first.
func (s *Service) GetMetrics(
	ctx context.Context, owner int64, id, keywordID string, filter PlaceFilter,
) ([]DatedStanding, error) {
	c, err := s.GetCampaign(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	history, err := listRankingHistory(ctx, s.world.DB, id, keywordID)
	if err != nil {
		return nil, err
	}
	out := make([]DatedStanding, len(history))
	for i, h := range history {
		out[i] = DatedStanding{Date: h.Date, Standing: h.measure(filter.match(c))}
	}
	return out, nil
}

// GetTopCompetitors is how the business and every other place did for one keyword of
// one report. A date without a report has no competitors.
func (s *Service) GetTopCompetitors(
	ctx context.Context, owner int64, id, keywordID string, date time.Time,
) (own Standing, others []Standing, err error) {
	c, err := s.GetCampaign(ctx, owner, id)
	if err != nil {
		return own, nil, err
	}
	doc, err := rankingFacts(ctx, s.world.DB, id, date, keywordID)
	if err != nil {
		return own, nil, err
	}
	mine := PlaceFilter{}.match(c)
	own = doc.measure(mine)
	own.Place = c.Business
	for _, standing := range doc.standings() {
		if !mine(standing.Place) {
			others = append(others, standing)
		}
	}
	return own, others, nil
}

// Limits is what a user may have and has.
type Limits struct{ Campaigns, MaxCampaigns, Spent, Credits int64 }

// GetLimits counts campaigns and the credits of this month.
func (s *Service) GetLimits(ctx context.Context, owner int64) (Limits, error) {
	a := Limits{MaxCampaigns: s.config.MaxCampaigns, Credits: s.config.CreditsPerMonth}
	var err error
	if a.Campaigns, err = countCampaigns(ctx, s.world.DB, owner); err != nil {
		return a, err
	}
	a.Spent, err = creditsSpent(ctx, s.world.DB, owner, s.now().Format("2006-01"))
	return a, err
}
