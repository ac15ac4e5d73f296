package articles

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const groupColumns = `o.number, o.team_id, o.url_name, o.name, o.description, o.private, o.created_at, o.updated_at`

func scanGroup(s database.Scanner) (g Group, err error) {
	err = s.Scan(&g.Number, &g.TeamID, &g.URLName, &g.Name, &g.Description, &g.Private, database.ScanTime(&g.CreatedAt), database.ScanTime(&g.UpdatedAt))
	return g, err
}

func (store) groupsByNumber(ctx context.Context, q database.Querier, numbers []int64) ([]Group, error) {
	in, args := database.In(1, numbers)
	return database.All(ctx, q, scanGroup, `SELECT `+groupColumns+` FROM articles_groups o WHERE o.number IN `+in, args...)
}

func (store) groupByName(ctx context.Context, q database.Querier, teamID int64, urlName string) (Group, error) {
	return missing(database.One(ctx, q, scanGroup, `SELECT `+groupColumns+` FROM articles_groups o WHERE o.team_id = $1 AND o.url_name = $2`, teamID, urlName))
}

// groupList lists the groups that a member may see: all, or those that are open
// or joined.
func (store) groupList(ctx context.Context, q database.Querier, t sight, c cut) ([]Group, int64, error) {
	b := builder{}
	from := `FROM articles_groups o WHERE ` + b.with(condition{`o.team_id = ?`, []any{t.teamID}})
	if !t.all {
		from += ` AND ` + b.with(condition{`(NOT o.private OR EXISTS (SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = ?))`, []any{t.viewer}})
	}
	return pageOf(ctx, q, scanGroup, `SELECT `+groupColumns, from, `ORDER BY o.number DESC`+b.limits(), c, b.args...)
}

// hiddenGroups are the first of the private groups that a member did not join.
func (store) hiddenGroups(ctx context.Context, q database.Querier, teamID, userID, limit int64) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT o.number FROM articles_groups o WHERE o.team_id = $1 AND o.private AND NOT EXISTS
		(SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = $2) ORDER BY o.number LIMIT $3`, teamID, userID, limit)
}

func (store) insertGroup(ctx context.Context, q database.Querier, g Group) (number int64, err error) {
	err = q.QueryRow(ctx, `INSERT INTO articles_groups (team_id, url_name, name, description, private, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING number`, g.TeamID, g.URLName, g.Name, g.Description, g.Private,
		database.Time(g.CreatedAt), database.Time(g.UpdatedAt)).Scan(&number)
	return number, err
}

func (store) updateGroup(ctx context.Context, q database.Querier, g Group) error {
	_, err := q.Exec(ctx, `UPDATE articles_groups SET name = $1, description = $2, private = $3, updated_at = $4 WHERE number = $5`,
		g.Name, g.Description, g.Private, database.Time(g.UpdatedAt), g.Number)
	return err
}

// emptyGroup gives what a group holds to the whole team.
func (store) emptyGroup(ctx context.Context, q database.Querier, number int64) error {
	if _, err := q.Exec(ctx, `UPDATE articles_items SET group_number = NULL WHERE group_number = $1`, number); err != nil {
		return err
	}
	_, err := q.Exec(ctx, `UPDATE articles_templates SET group_number = NULL WHERE group_number = $1`, number)
	return err
}

// deleteGroup fails with ErrForeignKey when the group holds something.
func (store) deleteGroup(ctx context.Context, q database.Querier, number int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_groups WHERE number = $1`, number)
	return err
}

// itemsInGroup are the items of a group, by number.
func (store) itemsInGroup(ctx context.Context, q database.Querier, number int64) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT i.number FROM articles_items i WHERE i.group_number = $1 ORDER BY i.number`, number)
}

func (store) countTemplates(ctx context.Context, q database.Querier, group int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_templates WHERE group_number = $1`, group).Scan(&n)
	return n, err
}

func (store) isGroupMember(ctx context.Context, q database.Querier, group, userID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_group_members WHERE group_number = $1 AND user_id = $2`, group, userID).Scan(&n)
	return n > 0, err
}

func (store) addGroupMember(ctx context.Context, q database.Querier, group, userID int64, at time.Time) error {
	_, err := q.Exec(ctx, `INSERT INTO articles_group_members (group_number, user_id, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (group_number, user_id) DO NOTHING`, group, userID, database.Time(at))
	return err
}

func (store) removeGroupMember(ctx context.Context, q database.Querier, group, userID int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_group_members WHERE group_number = $1 AND user_id = $2`, group, userID)
	return err
}

// forgetMember takes somebody out of every group of a team.
func (store) forgetMember(ctx context.Context, q database.Querier, teamID, userID int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_group_members WHERE user_id = $1 AND group_number IN (SELECT number FROM articles_groups WHERE team_id = $2)`,
		userID, teamID)
	return err
}

func (store) groupMembers(ctx context.Context, q database.Querier, group int64, c cut) ([]int64, int64, error) {
	return pageOf(ctx, q, scanNumber, `SELECT m.user_id`, `FROM articles_group_members m WHERE m.group_number = $1`, `ORDER BY m.number LIMIT $2 OFFSET $3`, c, group)
}
