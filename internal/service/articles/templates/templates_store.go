package templates

import (
	"context"
	"encoding/json"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
)

const columns = `p.number, p.team_id, COALESCE(p.group_number, 0), p.name, p.title, p.body, p.tags, p.coedit,
	p.created_at, p.updated_at`

// inVisible is the condition of a list, on the parameters of groups.Visibility.
const inVisible = `p.team_id = $1 AND ($3 OR p.group_number IS NULL OR
	NOT EXISTS (` + groups.Hidden + `p.group_number))`

func scan(s database.Scanner) (t Template, err error) {
	var tags string
	err = s.Scan(&t.Number, &t.TeamID, &t.GroupNumber, &t.Name, &t.Title, &t.Body, &tags, &t.Coedit,
		database.ScanTime(&t.CreatedAt), database.ScanTime(&t.UpdatedAt))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal([]byte(tags), &t.Tags)
}

func byNumber(ctx context.Context, q database.Querier, teamID, number int64) (Template, error) {
	t, err := database.One(ctx, q, scan, `SELECT `+columns+` FROM articles_templates p
		WHERE p.team_id = $1 AND p.number = $2`, teamID, number)
	if errors.Is(err, database.ErrNotFound) {
		return t, refusal.Missing()
	}
	return t, err
}

// row is a template that is read for a user.
type row struct {
	Template
	me string
}

// TextBytes is what a row takes of the memory for an answer, which also has the text with the values of its variables.
func (r row) TextBytes() int { return len(r.Body) + expandedBytes(r.Body, r.me) }

// list lists templates for a user whose name is me.
func list(
	ctx context.Context, q database.Querier, v groups.Visibility, me string, p page.Numbers, memory *rowmemory.Memory,
) ([]row, int64, error) {
	scanRow := func(s database.Scanner) (row, error) {
		t, err := scan(s)
		return row{t, me}, err
	}
	return page.List(ctx, q, rowmemory.Metered(scanRow, memory), p, `SELECT `+columns,
		`FROM articles_templates p WHERE `+inVisible, `ORDER BY p.number DESC`, v.Args()...)
}

func insert(ctx context.Context, tx *database.Tx, t Template) (number int64, err error) {
	tags, err := json.Marshal(t.Tags)
	if err != nil {
		return 0, err
	}
	return singlerow.Insert(ctx, tx, "number", `INSERT INTO articles_templates (team_id, group_number, name, title, body, tags, coedit,
		created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		t.TeamID, groups.OrNull(t.GroupNumber), t.Name, t.Title, t.Body, string(tags), t.Coedit,
		database.Time(t.CreatedAt), database.Time(t.UpdatedAt))
}

func update(ctx context.Context, q database.Querier, t Template) error {
	tags, err := json.Marshal(t.Tags)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `UPDATE articles_templates SET group_number = $1, name = $2, title = $3, body = $4, tags = $5,
		coedit = $6, updated_at = $7 WHERE number = $8`, groups.OrNull(t.GroupNumber), t.Name, t.Title, t.Body,
		string(tags), t.Coedit, database.Time(t.UpdatedAt), t.Number)
	return err
}

func remove(ctx context.Context, q database.Querier, number int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_templates WHERE number = $1`, number)
	return err
}
