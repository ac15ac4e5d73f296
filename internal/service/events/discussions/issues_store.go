package discussions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

// scanDocument reads a row of an id and a document.
func scanDocument[T any](id func(*T) *int64) func(database.Scanner) (T, error) {
	return func(s database.Scanner) (v T, err error) {
		var number int64
		var data string
		if err = s.Scan(&number, &data); err != nil {
			return v, err
		}
		if err = json.Unmarshal([]byte(data), &v); err != nil {
			return v, fmt.Errorf("document %d: %w", number, err)
		}
		*id(&v) = number
		return v, nil
	}
}

func issueID(i *Issue) *int64 { return &i.ID }

// count runs a query for one number.
func count(ctx context.Context, q database.Querier, sql string, args ...any) (n int64, err error) {
	err = q.QueryRow(ctx, sql, args...).Scan(&n)
	return n, err
}

// insertIssue gives an issue the next number of its repository.
func insertIssue(ctx context.Context, tx *database.Tx, i *Issue) error {
	last, err := count(ctx, tx, `SELECT COALESCE(MAX(number), 0) FROM events_issues WHERE repo_id = $1`, i.RepoID)
	if err != nil {
		return err
	}
	i.Number = last + 1
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	base, head := i.branches()
	i.ID, err = singlerow.Insert(ctx, tx, "id", `
		INSERT INTO events_issues (repo_id, number, pull, state, author, base_ref, head_ref, comments,
			created_at, updated_at, data, draft)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		i.RepoID, i.Number, i.Pull != nil, string(i.State), strings.ToLower(i.Author.Name), base, head, i.Comments,
		database.Time(i.CreatedAt), database.Time(i.UpdatedAt), string(data), i.Pull != nil && i.Pull.Draft)
	if err != nil {
		return err
	}
	return putMarks(ctx, tx, *i)
}

func (i *Issue) branches() (base, head string) {
	if i.Pull == nil {
		return "", ""
	}
	return i.Pull.BaseRef, i.Pull.HeadRef
}

func updateIssue(ctx context.Context, tx *database.Tx, i Issue) error {
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	base, _ := i.branches()
	if _, err := tx.Exec(ctx, `
		UPDATE events_issues SET state = $2, base_ref = $3, comments = $4, updated_at = $5, data = $6, merged = $7
		WHERE id = $1`,
		i.ID, string(i.State), base, i.Comments, database.Time(i.UpdatedAt), string(data),
		i.Pull != nil && i.Pull.MergedAt != nil); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM events_issue_marks WHERE issue_id = $1`, i.ID); err != nil {
		return err
	}
	return putMarks(ctx, tx, i)
}

// putMarks writes what lists are filtered by.
func putMarks(ctx context.Context, tx *database.Tx, i Issue) error {
	put := func(kind, value string) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO events_issue_marks (issue_id, kind, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			i.ID, kind, strings.ToLower(value))
		return err
	}
	for _, name := range i.Labels {
		if err := put("label", name); err != nil {
			return err
		}
	}
	for _, a := range i.Assignees {
		if err := put("assignee", a.Name); err != nil {
			return err
		}
	}
	return nil
}

func issueByNumber(ctx context.Context, q database.Querier, repoID, number int64) (Issue, error) {
	return database.One(ctx, q, scanDocument(issueID),
		`SELECT id, data FROM events_issues WHERE repo_id = $1 AND number = $2`, repoID, number)
}

// issuePlace is where an issue with a number of its own stands.
func issuePlace(ctx context.Context, q database.Querier, id int64) (repoID, number int64, err error) {
	err = q.QueryRow(ctx, `SELECT repo_id, number FROM events_issues WHERE id = $1`, id).Scan(&repoID, &number)
	return repoID, number, err
}

// query is what a list of issues asks for; empty texts ask for nothing.
type query struct {
	repoID          int64
	pulls           bool // pull requests only
	issues          bool // no pull requests
	states          []string
	draft           *bool
	state           string
	author          string
	assignee        string
	labels          []string
	since           time.Time
	base, head      string
	sort, direction string
}

// conditions are the parts of the statement, from $1 on.
func (f query) conditions() (where string, args []any) {
	add := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND "+condition, len(args))
	}
	args = []any{f.repoID}
	where = " FROM events_issues WHERE repo_id = $1"
	if f.pulls {
		add("pull = $%d", true)
	}
	if f.issues {
		add("pull = $%d", false)
	}
	if f.draft != nil {
		add("draft = $%d", *f.draft)
	}
	where += f.anyState()
	if f.state != "all" {
		add("state = $%d", f.state)
	}
	if f.author != "" {
		add("author = $%d", strings.ToLower(f.author))
	}
	marked := "id IN (SELECT issue_id FROM events_issue_marks WHERE kind = '%s' AND value = $%%d)"
	if f.assignee != "" {
		add(fmt.Sprintf(marked, "assignee"), strings.ToLower(f.assignee))
	}
	for _, label := range f.labels {
		add(fmt.Sprintf(marked, "label"), strings.ToLower(label))
	}
	if !f.since.IsZero() {
		add("updated_at >= $%d", database.Time(f.since))
	}
	if f.base != "" {
		add("base_ref = $%d", f.base)
	}
	if f.head != "" {
		add("head_ref = $%d", f.head)
	}
	return where, args
}

// anyState is the condition of one of some states: what is merged is not called closed.
func (f query) anyState() string {
	var parts []string
	for _, s := range f.states {
		switch s {
		case "open":
			parts = append(parts, "state = 'open'")
		case "closed":
			parts = append(parts, "state = 'closed' AND merged = FALSE")
		case "merged":
			parts = append(parts, "merged = TRUE")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " AND (" + strings.Join(parts, " OR ") + ")"
}

// order is one of the columns that lists are sorted by.
func (f query) order() string {
	column := map[string]string{"updated": "updated_at", "comments": "comments"}[f.sort]
	if column == "" {
		column = "number"
	}
	if f.direction == "asc" {
		return " ORDER BY " + column + " ASC, number ASC"
	}
	return " ORDER BY " + column + " DESC, number DESC"
}

func listIssues(
	ctx context.Context, q database.Querier, f query, size int, offset int64,
) (list []Issue, total int64, err error) {
	where, args := f.conditions()
	if total, err = count(ctx, q, `SELECT COUNT(*)`+where, args...); err != nil {
		return nil, 0, err
	}
	args = append(args, size, offset)
	page := fmt.Sprintf(" LIMIT $%d OFFSET $%d", len(args)-1, len(args))
	list, err = database.All(ctx, q, scanDocument(issueID), `SELECT id, data`+where+f.order()+page, args...)
	return list, total, err
}

// openPull finds an open pull request of the same two branches.
func openPull(ctx context.Context, q database.Querier, repoID int64, base, head string) (int64, error) {
	return count(ctx, q, `
		SELECT COUNT(*) FROM events_issues
		WHERE repo_id = $1 AND pull = $2 AND state = $3 AND base_ref = $4 AND head_ref = $5`,
		repoID, true, string(Open), base, head)
}

// OpenCounts are how many open issues and pull requests each of some repositories has.
func OpenCounts(ctx context.Context, q database.Querier, repositories []forge.Repository) (map[int64]int64, error) {
	ids := make([]int64, 0, len(repositories))
	for _, r := range repositories {
		ids = append(ids, r.ID)
	}
	list, args := database.In(2, ids)
	rows, err := database.All(ctx, q, func(s database.Scanner) (row [2]int64, err error) {
		err = s.Scan(&row[0], &row[1])
		return row, err
	}, `SELECT repo_id, COUNT(*) FROM events_issues WHERE state = $1 AND repo_id IN `+list+` GROUP BY repo_id`,
		append([]any{string(Open)}, args...)...)
	out := map[int64]int64{}
	for _, row := range rows {
		out[row[0]] = row[1]
	}
	return out, err
}

// DeleteAll removes what was said about a repository that is gone.
func DeleteAll(ctx context.Context, tx *database.Tx, repoID int64) error {
	for _, table := range []string{"events_issues", "events_labels", "events_comments", "events_reviews"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE repo_id = $1`, repoID); err != nil {
			return err
		}
	}
	return nil
}
