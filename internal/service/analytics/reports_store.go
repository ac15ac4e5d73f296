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

func deleteRankings(ctx context.Context, q database.Querier, r Report) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_rankings
		WHERE campaign_id = $1 AND report_date = $2`, r.CampaignID, database.Time(r.Date))
	return err
}

func insertRanking(ctx context.Context, q database.Querier, r Report, keyword string, doc keywordRanks) error {
	facts, err := json.Marshal(doc.Places)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO analytics_rankings (campaign_id, report_date, keyword_id, names, ranks, facts)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		r.CampaignID, database.Time(r.Date), keyword, doc.encodeNames(), encodeRanks(doc.Ranks), string(facts))
	return err
}

// scanRanking reads which places rank, with the ids and customer numbers of the places
// alone, and what comes before them into more.
func scanRanking(s database.Scanner, more ...any) (doc keywordRanks, err error) {
	var names string
	var ranks []byte
	if err = s.Scan(append(more, &names, &ranks)...); err != nil {
		return doc, err
	}
	doc.Places = decodeNames(names)
	if doc.Ranks, err = decodeRanks(ranks, len(doc.Places)); err != nil {
		return keywordRanks{}, fmt.Errorf("analytics: read a stored ranking: %w", err)
	}
	return doc, nil
}

func scanPlainRanking(s database.Scanner) (keywordRanks, error) { return scanRanking(s) }

// rankingByKeyword is which places rank for a keyword. A keyword that the report does not have gives
// an empty one.
func rankingByKeyword(
	ctx context.Context, q database.Querier, campaign string, date time.Time, keyword string,
) (keywordRanks, error) {
	doc, err := database.One(ctx, q, scanPlainRanking, `SELECT names, ranks FROM analytics_rankings
		WHERE campaign_id = $1 AND report_date = $2 AND keyword_id = $3`, campaign, database.Time(date), keyword)
	if errors.Is(err, database.ErrNotFound) {
		return keywordRanks{}, nil
	}
	return doc, err
}

// listRankings are those of all keywords of a report.
func listRankings(ctx context.Context, q database.Querier, campaign string, date time.Time) ([]keywordRanks, error) {
	return database.All(ctx, q, scanPlainRanking, `SELECT names, ranks FROM analytics_rankings
		WHERE campaign_id = $1 AND report_date = $2`, campaign, database.Time(date))
}

// listRankingHistory is which places ranked for a keyword in every finished
// report, oldest first. In those that do not have the keyword none did.
func listRankingHistory(ctx context.Context, q database.Querier, campaign, keyword string) ([]datedRanking, error) {
	return database.All(ctx, q, func(s database.Scanner) (d datedRanking, err error) {
		d.keywordRanks, err = scanRanking(s, database.ScanTime(&d.Date))
		return d, err
	}, `SELECT r.report_date, COALESCE(k.names, ''), k.ranks FROM analytics_reports r
		LEFT JOIN analytics_rankings k ON k.campaign_id = r.campaign_id
		AND k.report_date = r.report_date AND k.keyword_id = $2
		WHERE r.campaign_id = $1 AND r.state = 'COLLECTED' ORDER BY r.report_date`, campaign, keyword)
}

// rankingFacts is rankingByKeyword with all that was known about the places.
func rankingFacts(
	ctx context.Context, q database.Querier, campaign string, date time.Time, keyword string,
) (keywordRanks, error) {
	doc, err := rankingByKeyword(ctx, q, campaign, date, keyword)
	if err != nil || len(doc.Places) == 0 {
		return doc, err
	}
	var facts []byte
	err = q.QueryRow(ctx, `SELECT facts FROM analytics_rankings
		WHERE campaign_id = $1 AND report_date = $2 AND keyword_id = $3`,
		campaign, database.Time(date), keyword).Scan(&facts)
	if errors.Is(err, database.ErrNotFound) {
		return keywordRanks{}, nil // deleted between the two statements
	}
	if err != nil {
		return doc, err
	}
	full := keywordRanks{Ranks: doc.Ranks}
	if err := json.Unmarshal(facts, &full.Places); err != nil || len(full.Places) != len(doc.Places) {
		return doc, fmt.Errorf("analytics: the facts of a ranking of campaign %s do not fit: %w", campaign, err)
	}
	return full, nil
}
