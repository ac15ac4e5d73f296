package groups

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
	"stoa.dev/stoa/internal/platform/page"
)

const columns = `o.number, o.team_id, o.url_name, o.name, o.description, o.private, o.created_at, o.updated_at`

func scan(s database.Scanner) (g Group, err error) {
	err = s.Scan(&g.Number, &g.TeamID, &g.URLName, &g.Name, &g.Description, &g.Private,
		database.ScanTime(&g.CreatedAt), database.ScanTime(&g.UpdatedAt))
	return g, err
}

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

func byNumber(ctx context.Context, q database.Querier, numbers []int64) ([]Group, error) {
	in, args := database.In(1, numbers)
	return database.All(ctx, q, scan, `SELECT `+columns+` FROM articles_groups o
		WHERE o.number IN `+in, args...)
}

func byURLName(ctx context.Context, q database.Querier, teamID int64, urlName string) (Group, error) {
	return database.One(ctx, q, scan, `SELECT `+columns+` FROM articles_groups o
		WHERE o.team_id = $1 AND o.url_name = $2`, teamID, urlName)
}

func list(ctx context.Context, q database.Querier, v Visibility, p page.Numbers) ([]Group, int64, error) {
	return page.List(ctx, q, scan, p, `SELECT `+columns, `FROM articles_groups o WHERE `+visible,
		`ORDER BY o.number DESC`, v.Args()...)
}

// hidden are the first of the private groups that the viewer did not join.
func hidden(ctx context.Context, q database.Querier, v Visibility, limit int64) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT o.number FROM articles_groups o
		WHERE o.team_id = $1 AND o.private AND NOT EXISTS
		(SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = $2)
		ORDER BY o.number LIMIT $3`, v.TeamID, v.UserID, limit)
}

func insert(ctx context.Context, tx *database.Tx, g Group) (number int64, err error) {
	return singlerow.Insert(ctx, tx, "number", `INSERT INTO articles_groups (team_id, url_name, name, description, private, created_at,
		updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`, g.TeamID, g.URLName, g.Name, g.Description,
		g.Private, database.Time(g.CreatedAt), database.Time(g.UpdatedAt))
}

func update(ctx context.Context, q database.Querier, g Group) error {
	_, err := q.Exec(ctx, `UPDATE articles_groups SET name = $1, description = $2, private = $3, updated_at = $4
		WHERE number = $5`, g.Name, g.Description, g.Private, database.Time(g.UpdatedAt), g.Number)
	return err
}

// empty gives what a group holds to the whole team and returns the numbers of the items.
func empty(ctx context.Context, q database.Querier, number int64) ([]int64, error) {
	_, err := q.Exec(ctx, `UPDATE articles_templates SET group_number = NULL WHERE group_number = $1`, number)
	if err != nil {
		return nil, err
	}
	return database.All(ctx, q, scanNumber, `UPDATE articles_items SET group_number = NULL WHERE group_number = $1
		RETURNING number`, number)
}

// remove fails with ErrForeignKey when the group holds something.
func remove(ctx context.Context, q database.Querier, number int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_groups WHERE number = $1`, number)
	return err
}

func countItems(ctx context.Context, q database.Querier, group int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_items WHERE group_number = $1`, group).Scan(&n)
	return n, err
}

func countTemplates(ctx context.Context, q database.Querier, group int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_templates WHERE group_number = $1`, group).Scan(&n)
	return n, err
}

func isMember(ctx context.Context, q database.Querier, group, userID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_group_members WHERE group_number = $1 AND user_id = $2`,
		group, userID).Scan(&n)
	return n > 0, err
}

func insertMember(ctx context.Context, q database.Querier, group, userID int64, at time.Time) error {
	_, err := q.Exec(ctx, `INSERT INTO articles_group_members (group_number, user_id, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (group_number, user_id) DO NOTHING`, group, userID, database.Time(at))
	return err
}

func deleteMember(ctx context.Context, q database.Querier, group, userID int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_group_members WHERE group_number = $1 AND user_id = $2`, group, userID)
	return err
}

// deleteMemberships takes a user out of every group of a team.
func deleteMemberships(ctx context.Context, q database.Querier, teamID, userID int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_group_members WHERE user_id = $1 AND group_number IN
		(SELECT number FROM articles_groups WHERE team_id = $2)`, userID, teamID)
	return err
}

func listMembers(ctx context.Context, q database.Querier, group int64, p page.Numbers) ([]int64, int64, error) {
	return page.List(ctx, q, scanNumber, p, `SELECT m.user_id`,
		`FROM articles_group_members m WHERE m.group_number = $1`, `ORDER BY m.number`, group)
}
