package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

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

func reportByDate(ctx context.Context, q database.Querier, campaign string, date time.Time) (Report, error) {
	return database.One(ctx, q, scanReport, `SELECT `+reportColumns+` FROM analytics_reports
		WHERE campaign_id = $1 AND report_date = $2`, campaign, database.Time(date))
}

// reportBefore is the last finished report before a date.
func reportBefore(ctx context.Context, q database.Querier, campaign string, date time.Time) (Report, error) {
	return database.One(ctx, q, scanReport, `SELECT `+reportColumns+` FROM analytics_reports
		WHERE campaign_id = $1 AND report_date < $2 AND state = 'COLLECTED' ORDER BY report_date DESC
		LIMIT 1`, campaign, database.Time(date))
}

// latestReport is the newest report, whatever its state.
func latestReport(ctx context.Context, q database.Querier, campaign string) (Report, error) {
	return database.One(ctx, q, scanReport, `SELECT `+reportColumns+` FROM analytics_reports
		WHERE campaign_id = $1 ORDER BY report_date DESC LIMIT 1`, campaign)
}

func listReportDates(ctx context.Context, q database.Querier, campaign string) ([]time.Time, error) {
	return database.All(ctx, q, func(s database.Scanner) (t time.Time, err error) {
		err = s.Scan(database.ScanTime(&t))
		return t, err
	}, `SELECT report_date FROM analytics_reports WHERE campaign_id = $1 AND state = 'COLLECTED'
		ORDER BY report_date`, campaign)
}

// upsertReport opens a report, anew when there is one of the same date.
func upsertReport(ctx context.Context, q database.Querier, r Report) error {
	keywords, err := json.Marshal(r.Keywords)
	if err != nil {
		return err
	}
	points, err := json.Marshal(r.Points)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO analytics_reports (`+reportColumns+`) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (campaign_id, report_date) DO UPDATE
		SET state = excluded.state, keywords = excluded.keywords, points = excluded.points`,
		r.CampaignID, database.Time(r.Date), string(r.State), string(keywords), string(points))
	return err
}

func updateReportState(ctx context.Context, q database.Querier, r Report, state Status) error {
	_, err := q.Exec(ctx, `UPDATE analytics_reports SET state = $1 WHERE campaign_id = $2 AND report_date = $3`,
		string(state), r.CampaignID, database.Time(r.Date))
	return err
}

// oldCollecting is a campaign that has been collecting for long.
type oldCollecting struct {
	campaign string
	owner    int64
}

// listOldCollecting are the campaigns that have been collecting since before a time.
func listOldCollecting(ctx context.Context, q database.Querier, before time.Time) ([]oldCollecting, error) {
	return database.All(ctx, q, func(s database.Scanner) (c oldCollecting, err error) {
		err = s.Scan(&c.campaign, &c.owner)
		return c, err
	}, `SELECT id, owner_id FROM analytics_campaigns WHERE status = 'COLLECTING' AND status_updated_at < $1 ORDER BY id`,
		database.Time(before))
}

// failAbandoned marks what a campaign has been collecting since before the time as failed.
func failAbandoned(ctx context.Context, q database.Querier, campaign string, before, now time.Time) error {
	_, err := q.Exec(ctx, `UPDATE analytics_reports SET state = 'FAILED' WHERE state = 'COLLECTING' AND campaign_id IN
		(SELECT id FROM analytics_campaigns
		WHERE id = $1 AND status = 'COLLECTING' AND status_updated_at < $2)`, campaign, database.Time(before))
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `UPDATE analytics_campaigns SET status = 'FAILED', status_updated_at = $3
		WHERE id = $1 AND status = 'COLLECTING' AND status_updated_at < $2`,
		campaign, database.Time(before), database.Time(now))
	return err
}
