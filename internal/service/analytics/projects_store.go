package analytics

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

const projectColumns = `id, owner_id, name, url, created_at, updated_at`

func scanProject(s database.Scanner) (p Project, err error) {
	err = s.Scan(&p.ID, &p.OwnerID, &p.Name, &p.URL, database.ScanTime(&p.CreatedAt), database.ScanTime(&p.UpdatedAt))
	return p, err
}

func listProjects(ctx context.Context, q database.Querier, owner int64) ([]Project, error) {
	return database.All(ctx, q, scanProject, `SELECT `+projectColumns+` FROM analytics_projects
		WHERE owner_id = $1 ORDER BY created_at, id`, owner)
}

func projectByID(ctx context.Context, q database.Querier, id int64) (Project, error) {
	return database.One(ctx, q, scanProject, `SELECT `+projectColumns+` FROM analytics_projects WHERE id = $1`, id)
}

// projectOfOwner does not read the row of another owner.
func projectOfOwner(ctx context.Context, q database.Querier, owner, id int64) (Project, error) {
	return database.One(ctx, q, scanProject, `SELECT `+projectColumns+` FROM analytics_projects
		WHERE id = $1 AND owner_id = $2`, id, owner)
}

// countProjects counts the owner's projects and reports whether one has the domain.
func countProjects(
	ctx context.Context, q database.Querier, owner int64, domain string,
) (n int64, taken bool, err error) {
	var same int64
	err = q.QueryRow(ctx, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN url = $2 THEN 1 ELSE 0 END), 0)
		FROM analytics_projects WHERE owner_id = $1`, owner, domain).Scan(&n, &same)
	return n, same > 0, err
}

func insertProject(ctx context.Context, q database.Querier, p Project) error {
	_, err := q.Exec(ctx, `INSERT INTO analytics_projects (`+projectColumns+`) VALUES ($1, $2, $3, $4, $5, $6)`,
		p.ID, p.OwnerID, p.Name, p.URL, database.Time(p.CreatedAt), database.Time(p.UpdatedAt))
	return err
}

func updateProject(ctx context.Context, q database.Querier, p Project) error {
	_, err := q.Exec(ctx, `UPDATE analytics_projects SET name = $1, updated_at = $2
		WHERE id = $3`, p.Name, database.Time(p.UpdatedAt), p.ID)
	return err
}

func deleteProject(ctx context.Context, q database.Querier, id int64) error {
	_, err := q.Exec(ctx, `DELETE FROM analytics_projects WHERE id = $1`, id)
	return err
}
