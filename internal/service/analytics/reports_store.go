package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// rankingDoc is who ranks for one keyword: Ranks[p] are the places at the p-th
// enabled point, best first.
type rankingDoc struct {
	Places []ranking.Place `json:"places"`
	Ranks  [][]int         `json:"ranks"`
}

func scanReport(s database.Scanner) (r Report, err error) {
	var keywords, points []byte
	if err = s.Scan(&r.CampaignID, database.ScanTime(&r.Date), &r.State, &keywords, &points); err != nil {
		return r, err
	}
	if err := errors.Join(json.Unmarshal(keywords, &r.Keywords), json.Unmarshal(points, &r.Points)); err != nil {
		return r, fmt.Errorf("analytics: read a report of campaign %s: %w", r.CampaignID, err)
	}
	return r, nil
}

const reportColumns = `campaign_id, report_date, state, keywords, points`

func (store) report(ctx context.Context, q database.Querier, campaign string, date time.Time) (Report, error) {
	return database.One(ctx, q, scanReport, `SELECT `+reportColumns+` FROM analytics_reports
		WHERE campaign_id = $1 AND report_date = $2`, campaign, database.Time(date))
}

// reportBefore is the last finished report before a date.
func (store) reportBefore(ctx context.Context, q database.Querier, campaign string, date time.Time) (Report, error) {
	return database.One(ctx, q, scanReport, `SELECT `+reportColumns+` FROM analytics_reports
		WHERE campaign_id = $1 AND report_date < $2 AND state = 'COLLECTED' ORDER BY report_date DESC LIMIT 1`, campaign, database.Time(date))
}

// latestReport is the newest report, whatever its state.
func (store) latestReport(ctx context.Context, q database.Querier, campaign string) (Report, error) {
	return database.One(ctx, q, scanReport, `SELECT `+reportColumns+` FROM analytics_reports
		WHERE campaign_id = $1 ORDER BY report_date DESC LIMIT 1`, campaign)
}

func (store) reportDates(ctx context.Context, q database.Querier, campaign string) ([]time.Time, error) {
	return database.All(ctx, q, func(s database.Scanner) (t time.Time, err error) {
		err = s.Scan(database.ScanTime(&t))
		return t, err
	}, `SELECT report_date FROM analytics_reports WHERE campaign_id = $1 AND state = 'COLLECTED' ORDER BY report_date`, campaign)
}

// putReport opens a report, anew when there is one of the same date.
func (store) putReport(ctx context.Context, q database.Querier, r Report) error {
	keywords, err := json.Marshal(r.Keywords)
	if err != nil {
		return err
	}
	points, err := json.Marshal(r.Points)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO analytics_reports (`+reportColumns+`) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (campaign_id, report_date) DO UPDATE SET state = excluded.state, keywords = excluded.keywords, points = excluded.points`,
		r.CampaignID, database.Time(r.Date), string(r.State), string(keywords), string(points))
	return err
}

func (store) setReportState(ctx context.Context, q database.Querier, r Report, state Status) error {
	_, err := q.Exec(ctx, `UPDATE analytics_reports SET state = $1 WHERE campaign_id = $2 AND report_date = $3`,
		string(state), r.CampaignID, database.Time(r.Date))
	return err
}

func (store) dropRankings(ctx context.Context, q database.Querier, r Report) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_rankings WHERE campaign_id = $1 AND report_date = $2`, r.CampaignID, database.Time(r.Date))
	return err
}

func (store) insertRanking(ctx context.Context, q database.Querier, r Report, keyword string, doc rankingDoc) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO analytics_rankings (campaign_id, report_date, keyword_id, doc) VALUES ($1, $2, $3, $4)`,
		r.CampaignID, database.Time(r.Date), keyword, string(text))
	return err
}

// ranking reads who ranks for a keyword; a keyword that the report does not have
// gives an empty one.
func (store) ranking(ctx context.Context, q database.Querier, campaign string, date time.Time, keyword string) (doc rankingDoc, err error) {
	var text []byte
	err = q.QueryRow(ctx, `SELECT doc FROM analytics_rankings WHERE campaign_id = $1 AND report_date = $2 AND keyword_id = $3`,
		campaign, database.Time(date), keyword).Scan(&text)
	if errors.Is(err, database.ErrNotFound) {
		return rankingDoc{}, nil
	}
	if err != nil {
		return doc, err
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return doc, fmt.Errorf("analytics: read a ranking of campaign %s: %w", campaign, err)
	}
	return doc, nil
}
