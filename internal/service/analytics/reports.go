package analytics

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

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
	return measureHistory(history, filter.match(c)), nil
}

// measureHistory measures the places that match in every ranking.
func measureHistory(history []datedRanking, match func(ranking.Place) bool) []DatedStanding {
	out := make([]DatedStanding, len(history))
	for i, h := range history {
		out[i] = DatedStanding{Date: h.Date, Standing: h.measure(match)}
	}
	return out
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
