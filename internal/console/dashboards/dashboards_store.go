package dashboards

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

const dashboardColumns = `id, user_id, title, created_at`

func scanDashboard(s database.Scanner) (d Dashboard, err error) {
	err = s.Scan(&d.ID, &d.UserID, &d.Title, database.ScanTime(&d.CreatedAt))
	return d, err
}

func scanGraph(s database.Scanner) (g Graph, err error) {
	err = s.Scan(&g.ID, &g.Title, &g.Query, &g.Span, &g.place)
	return g, err
}

func dashboardsOf(ctx context.Context, q database.Querier, userID int64) ([]Dashboard, error) {
	return database.All(ctx, q, scanDashboard, `SELECT `+dashboardColumns+` FROM dashboards_boards
		WHERE user_id = $1 ORDER BY created_at, id LIMIT $2`, userID, maxDashboards)
}

func dashboardByID(ctx context.Context, q database.Querier, userID int64, id string) (Dashboard, error) {
	return database.One(ctx, q, scanDashboard, `SELECT `+dashboardColumns+` FROM dashboards_boards
		WHERE id = $1 AND user_id = $2`, id, userID)
}

func insertDashboard(ctx context.Context, q database.Querier, d Dashboard) error {
	_, err := q.Exec(ctx, `INSERT INTO dashboards_boards (`+dashboardColumns+`) VALUES ($1, $2, $3, $4)`,
		d.ID, d.UserID, d.Title, database.Time(d.CreatedAt))
	return err
}

func deleteDashboard(ctx context.Context, q database.Querier, userID int64, id string) error {
	if _, err := q.Exec(ctx, `DELETE FROM dashboards_graphs WHERE dashboard_id IN
		(SELECT id FROM dashboards_boards WHERE id = $1 AND user_id = $2)`, id, userID); err != nil {
		return err
	}
	_, err := q.Exec(ctx, `DELETE FROM dashboards_boards WHERE id = $1 AND user_id = $2`, id, userID)
	return err
}

func graphsOf(ctx context.Context, q database.Querier, dashboard string) ([]Graph, error) {
	return database.All(ctx, q, scanGraph, `SELECT id, title, query, span, place FROM dashboards_graphs
		WHERE dashboard_id = $1 ORDER BY place, id LIMIT $2`, dashboard, maxGraphs)
}

func insertGraph(ctx context.Context, q database.Querier, dashboard string, g Graph) error {
	_, err := q.Exec(ctx, `INSERT INTO dashboards_graphs (id, dashboard_id, place, title, query, span)
		VALUES ($1, $2, $3, $4, $5, $6)`, g.ID, dashboard, g.place, g.Title, g.Query, g.Span)
	return err
}

func deleteGraph(ctx context.Context, q database.Querier, dashboard, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM dashboards_graphs WHERE id = $1 AND dashboard_id = $2`, id, dashboard)
	return err
}
