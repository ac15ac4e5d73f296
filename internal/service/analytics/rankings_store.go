package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

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
