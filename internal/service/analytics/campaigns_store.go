package analytics

import (
	"context"
	"encoding/json"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
)

const campaignColumns = `id, owner_id, name, settings, status, metrics, next_report, created_at, status_updated_at`

func scanCampaign(s database.Scanner) (c Campaign, err error) {
	var settings, metrics []byte
	err = s.Scan(&c.ID, &c.OwnerID, &c.Name, &settings, &c.Status, &metrics, database.ScanNullTime(&c.NextReport),
		database.ScanTime(&c.CreatedAt), database.ScanTime(&c.StatusUpdatedAt))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(settings, &c.Settings); err != nil {
		return c, fmt.Errorf("analytics: read the settings of campaign %s: %w", c.ID, err)
	}
	if err := json.Unmarshal(metrics, &c.Metrics); err != nil {
		return c, fmt.Errorf("analytics: read the metrics of campaign %s: %w", c.ID, err)
	}
	return c, nil
}

func campaignByID(ctx context.Context, q database.Querier, id string) (Campaign, error) {
	return database.One(ctx, q, scanCampaign, `SELECT `+campaignColumns+` FROM analytics_campaigns WHERE id = $1`, id)
}

func listCampaigns(ctx context.Context, q database.Querier, owner int64) ([]Campaign, error) {
	return database.All(ctx, q, scanCampaign, `SELECT `+campaignColumns+` FROM analytics_campaigns
		WHERE owner_id = $1 ORDER BY created_at DESC, id`, owner)
}

func countCampaigns(ctx context.Context, q database.Querier, owner int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM analytics_campaigns WHERE owner_id = $1`, owner).Scan(&n)
	return n, err
}

func (c Campaign) documents() (settings, metrics string, err error) {
	a, err := json.Marshal(c.Settings)
	if err != nil {
		return "", "", err
	}
	b, err := json.Marshal(c.Metrics)
	return string(a), string(b), err
}

func insertCampaign(ctx context.Context, q database.Querier, c Campaign) error {
	settings, metrics, err := c.documents()
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO analytics_campaigns (`+campaignColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		c.ID, c.OwnerID, c.Name, settings, string(c.Status), metrics, database.NullTime(c.NextReport),
		database.Time(c.CreatedAt), database.Time(c.StatusUpdatedAt))
	return err
}

func updateCampaign(ctx context.Context, q database.Querier, c Campaign) error {
	settings, metrics, err := c.documents()
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `UPDATE analytics_campaigns
		SET name = $1, settings = $2, status = $3, metrics = $4, next_report = $5,
		status_updated_at = $6 WHERE id = $7`,
		c.Name, settings, string(c.Status), metrics, database.NullTime(c.NextReport),
		database.Time(c.StatusUpdatedAt), c.ID)
	return err
}

func deleteCampaign(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_campaigns WHERE id = $1`, id)
	return err
}

func creditsSpent(ctx context.Context, q database.Querier, owner int64, month string) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COALESCE(SUM(spent), 0) FROM analytics_credits
		WHERE owner_id = $1 AND month = $2`, owner, month).Scan(&n)
	return n, err
}

func addCreditsSpent(ctx context.Context, q database.Querier, owner int64, month string, n int64) error {
	_, err := q.Exec(ctx, `INSERT INTO analytics_credits (owner_id, month, spent) VALUES ($1, $2, $3)
		ON CONFLICT (owner_id, month) DO UPDATE SET spent = analytics_credits.spent + excluded.spent`, owner, month, n)
	return err
}
