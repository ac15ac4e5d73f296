package analytics

import (
	"context"
	"errors"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

const (
	// maxPosition is how many places of a search count; a place that is not among
	// them has the position after the last.
	maxPosition      = 20
	notFoundPosition = maxPosition + 1
)

// collectPayload names the report that a job fills.
type collectPayload struct {
	Campaign string    `json:"campaign"`
	Date     time.Time `json:"date"`
}

// Collect opens a report and lets a job fill it. It costs a credit for each
// keyword and point.
func (s *Service) Collect(ctx context.Context, owner int64, id string, date time.Time) (time.Time, error) {
	now := s.now()
	if date.IsZero() {
		date = now
	}
	date = date.UTC().Truncate(time.Millisecond)
	if date.After(now) {
		return date, errInvalidField("reportDate", "must not lie in the future")
	}
	err := s.world.DB.WriteKeyed(ctx, campaignsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		c, err := s.ownCampaign(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if c.Status == StatusCollecting {
			return errConflict("a report of the campaign is being collected")
		}
		return s.beginReport(ctx, tx, c, date, now)
	})
	return date, err
}

// beginReport charges, opens the report and enqueues its job, all or nothing.
func (s *Service) beginReport(ctx context.Context, tx *database.Tx, c Campaign, date, now time.Time) error {
	month := now.Format("2006-01")
	spent, err := creditsSpent(ctx, tx, c.OwnerID, month)
	if err != nil {
		return err
	}
	cost := int64(len(enabled(c.Points)) * len(c.Keywords))
	if spent+cost > s.config.CreditsPerMonth {
		return errForbidden("the credits of this month do not suffice")
	}
	// What may be refused comes before what is written: a schedule leaves out a
	// report that is refused and keeps its transaction.
	if _, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
		Kind: collectKind, Payload: collectPayload{Campaign: c.ID, Date: date}, Key: c.ID, Owner: ownerKey(c.OwnerID),
	}); err != nil {
		return err
	}
	if err := addCreditsSpent(ctx, tx, c.OwnerID, month, cost); err != nil {
		return err
	}
	r := Report{CampaignID: c.ID, Date: date, State: StatusCollecting, Keywords: c.Keywords, Points: c.Points}
	if err := upsertReport(ctx, tx, r); err != nil {
		return err
	}
	c.Status, c.StatusUpdatedAt = StatusCollecting, now
	return updateCampaign(ctx, tx, c)
}

// computeReport fills a report. Running it twice gives the same.
func (s *Service) computeReport(ctx context.Context, p collectPayload) error {
	r, err := reportByDate(ctx, s.world.DB, p.Campaign, p.Date)
	if errors.Is(err, database.ErrNotFound) {
		return nil // the campaign was deleted meanwhile
	}
	if err != nil {
		return err
	}
	q := ranking.Query{Depth: maxPosition}
	for _, k := range r.Keywords {
		q.Keywords = append(q.Keywords, k.Name)
	}
	for _, p := range enabled(r.Points) {
		q.Points = append(q.Points, p.Coordinates)
	}
	result, err := s.provider.Rank(ctx, q)
	if err != nil {
		return err
	}
	docs := make([]keywordRanks, len(r.Keywords))
	for k := range docs {
		docs[k] = rankingOf(result, k)
	}
	return s.finishReport(ctx, r, docs, StatusCollected)
}

// rankingOf is the part of a result that one keyword needs.
func rankingOf(result ranking.Result, k int) keywordRanks {
	doc := keywordRanks{Places: []ranking.Place{}, Ranks: make([][]int, len(result.Ranks[k]))}
	number := map[int]int{}
	for i, list := range result.Ranks[k] {
		doc.Ranks[i] = make([]int, len(list))
		for j, place := range list {
			n, ok := number[place]
			if !ok {
				n = len(doc.Places)
				number[place] = n
				doc.Places = append(doc.Places, result.Places[place])
			}
			doc.Ranks[i][j] = n
		}
	}
	return doc
}

// finishReport stores a report's rankings and what they mean for the campaign.
func (s *Service) finishReport(ctx context.Context, r Report, docs []keywordRanks, state Status) error {
	now := s.now()
	c, err := campaignByID(ctx, s.world.DB, r.CampaignID)
	if errors.Is(err, database.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.world.DB.WriteKeyed(ctx, campaignsKey(c.OwnerID), func(ctx context.Context, tx *database.Tx) error {
		c, err := campaignByID(ctx, tx, r.CampaignID)
		if errors.Is(err, database.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := deleteRankings(ctx, tx, r); err != nil {
			return err
		}
		for k, doc := range docs {
			if err := insertRanking(ctx, tx, r, r.Keywords[k].ID, doc); err != nil {
				return err
			}
		}
		if err := updateReportState(ctx, tx, r, state); err != nil {
			return err
		}
		c.Status, c.StatusUpdatedAt = state, now
		if state == StatusCollected {
			if c.Metrics, err = compareReports(ctx, tx, c); err != nil {
				return err
			}
		}
		return updateCampaign(ctx, tx, c)
	})
}

// compareReports measures the business in the last finished report, which need not be the one that was collected
// last, and compares it with the report before.
func compareReports(ctx context.Context, tx *database.Tx, c Campaign) (*Metrics, error) {
	dates, err := listReportDates(ctx, tx, c.ID)
	if err != nil || len(dates) == 0 {
		return nil, err
	}
	own := matchPlaces([]string{c.Business.ID}, c.Business.CID)
	standing := func(date time.Time) (position, share float64, err error) {
		docs, err := listRankings(ctx, tx, c.ID, date)
		position, share = meanStanding(docs, own)
		return position, share, err
	}
	m := &Metrics{}
	last := len(dates) - 1
	if m.AveragePosition, m.AverageShareOfVoice, err = standing(dates[last]); err != nil || last == 0 {
		return m, err
	}
	position, share, err := standing(dates[last-1])
	m.AveragePositionDiff = round2(position - m.AveragePosition)
	m.AverageShareOfVoiceDiff = round2(m.AverageShareOfVoice - share)
	return m, err
}

// meanStanding is the mean over all keywords.
func meanStanding(docs []keywordRanks, match func(ranking.Place) bool) (position, share float64) {
	if len(docs) == 0 {
		return notFoundPosition, 0
	}
	for _, doc := range docs {
		m := doc.measure(match)
		position += m.AveragePosition
		share += m.ShareOfVoice
	}
	return round2(position / float64(len(docs))), round2(share / float64(len(docs)))
}

func round2(v float64) float64 { return math.Round(v*100) / 100 }

// matchPlaces matches places by id, or by customer number when there is one.
func matchPlaces(ids []string, cid string) func(ranking.Place) bool {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	return func(p ranking.Place) bool { return wanted[p.ID] || cid != "" && p.CID == cid }
}
