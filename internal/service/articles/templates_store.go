package articles

import (
	"context"
	"encoding/json"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

const templateColumns = `p.number, p.team_id, COALESCE(p.group_number, 0), p.name, p.title, p.body, p.tags, p.coedit, p.created_at, p.updated_at`

func scanTemplate(s database.Scanner) (t Template, err error) {
	var tags string
	err = s.Scan(&t.Number, &t.TeamID, &t.GroupNumber, &t.Name, &t.Title, &t.Body, &tags, &t.Coedit, database.ScanTime(&t.CreatedAt), database.ScanTime(&t.UpdatedAt))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal([]byte(tags), &t.Tags)
}

func (store) template(ctx context.Context, q database.Querier, teamID, number int64) (Template, error) {
	return missing(database.One(ctx, q, scanTemplate, `SELECT `+templateColumns+` FROM articles_templates p WHERE p.team_id = $1 AND p.number = $2`, teamID, number))
}

func (store) templates(ctx context.Context, q database.Querier, teamID int64, c cut) ([]Template, int64, error) {
	return pageOf(ctx, q, scanTemplate, `SELECT `+templateColumns, `FROM articles_templates p WHERE p.team_id = $1`,
		`ORDER BY p.number DESC LIMIT $2 OFFSET $3`, c, teamID)
}

func (store) insertTemplate(ctx context.Context, q database.Querier, t Template) (number int64, err error) {
	tags, err := json.Marshal(t.Tags)
	if err != nil {
		return 0, err
	}
	var group *int64
	if t.GroupNumber != 0 {
		group = &t.GroupNumber
	}
	err = q.QueryRow(ctx, `INSERT INTO articles_templates (team_id, group_number, name, title, body, tags, coedit, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING number`, t.TeamID, group, t.Name, t.Title, t.Body, string(tags), t.Coedit,
		database.Time(t.CreatedAt), database.Time(t.UpdatedAt)).Scan(&number)
	return number, err
}

func (store) deleteTemplate(ctx context.Context, q database.Querier, teamID, number int64) (int64, error) {
	done, err := q.Exec(ctx, `DELETE FROM articles_templates WHERE team_id = $1 AND number = $2`, teamID, number)
	return done.RowsAffected, err
}

func scanGroup(s database.Scanner) (g Group, err error) {
	err = s.Scan(&g.Number, &g.TeamID, &g.URLName, &g.Name, &g.Description, &g.Private, database.ScanTime(&g.CreatedAt), database.ScanTime(&g.UpdatedAt))
	return g, err
}

const groupColumns = `o.number, o.team_id, o.url_name, o.name, o.description, o.private, o.created_at, o.updated_at`

func (store) group(ctx context.Context, q database.Querier, number int64) (Group, error) {
	return missing(database.One(ctx, q, scanGroup, `SELECT `+groupColumns+` FROM articles_groups o WHERE o.number = $1`, number))
}

func (store) groupNumber(ctx context.Context, q database.Querier, teamID int64, urlName string) (number int64, err error) {
	err = q.QueryRow(ctx, `SELECT number FROM articles_groups WHERE team_id = $1 AND url_name = $2`, teamID, urlName).Scan(&number)
	if errors.Is(err, database.ErrNotFound) {
		return 0, errBad("group_url_name names no group of the team")
	}
	return number, err
}
