package forge

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// condition is a WHERE clause with its arguments. Texts are constants; values are
// arguments.
type condition struct {
	parts []string
	args  []any
}

// arg adds an argument and returns its placeholder.
func (c *condition) arg(v any) string {
	c.args = append(c.args, v)
	return "$" + strconv.Itoa(len(c.args))
}

func (c *condition) and(text string) { c.parts = append(c.parts, text) }

// in is "column IN (...)" for ids.
func (c *condition) in(column string, ids []int64) string {
	list, args := database.In(len(c.args)+1, ids)
	c.args = append(c.args, args...)
	return column + ` IN ` + list
}

func (c *condition) memberOf(userID int64) string {
	return `id IN (SELECT repository_id FROM forge_members WHERE user_id = ` + c.arg(userID) + `)`
}

func (c *condition) ownedBy(userID int64) string {
	return `(owner_kind = 'user' AND owner_id = ` + c.arg(userID) + `)`
}

func (c *condition) ofOrgs(ids []int64) string {
	return `(owner_kind = 'org' AND ` + c.in("owner_id", ids) + `)`
}

// installed is what an app is installed on, and of that what a token is for.
func (c *condition) installed(in Installation, limitedToken int64) string {
	text := `owner_kind = ` + c.arg(string(in.Owner.Kind)) + ` AND owner_id = ` + c.arg(in.Owner.ID)
	if in.Selected {
		text += ` AND id IN (SELECT repository_id FROM forge_installed_repositories WHERE installation_id = ` +
			c.arg(in.ID) + `)`
	}
	if limitedToken != 0 {
		text += ` AND id IN (SELECT repository_id FROM forge_token_repositories WHERE token_id = ` +
			c.arg(limitedToken) + `)`
	}
	return text
}

// visible is what a viewer may see.
func (c *condition) visible(v Viewer) {
	any := []string{`private = FALSE`}
	if v.UserID != 0 {
		any = append(any, c.ownedBy(v.UserID), c.memberOf(v.UserID))
	}
	if len(v.OrgIDs) > 0 {
		any = append(any, c.ofOrgs(v.OrgIDs))
	}
	if v.RepositoryID != 0 {
		any = append(any, `id = `+c.arg(v.RepositoryID))
	}
	if v.Installed != nil {
		any = append(any, `(`+c.installed(*v.Installed, v.LimitedToken)+`)`)
	}
	c.and(`(` + strings.Join(any, ` OR `) + `)`)
}

// affiliated is what a user has to do with.
func (c *condition) affiliated(q RepositoryQuery) {
	var any []string
	if q.OwnedBy != 0 {
		any = append(any, c.ownedBy(q.OwnedBy))
	}
	if q.MemberIs != 0 {
		any = append(any, c.memberOf(q.MemberIs))
	}
	if len(q.OwnerOrgs) > 0 {
		any = append(any, c.ofOrgs(q.OwnerOrgs))
	}
	if len(any) > 0 {
		c.and(`(` + strings.Join(any, ` OR `) + `)`)
	}
}

// matching is the FROM and WHERE of a query.
func matching(q RepositoryQuery) (text string, args []any) {
	c := &condition{}
	text = ` FROM forge_repositories`
	if q.StarredBy != 0 {
		text += ` JOIN forge_stars ON forge_stars.repository_id = id AND forge_stars.user_id = ` + c.arg(q.StarredBy)
	}
	if q.InstalledOnly != nil {
		c.and(c.installed(*q.InstalledOnly, q.Viewer.LimitedToken))
	} else {
		c.visible(q.Viewer)
	}
	c.affiliated(q)
	if q.Owner != "" {
		c.and(`folded_owner = ` + c.arg(identity.Fold(q.Owner)))
	}
	if q.ParentID != 0 {
		c.and(`parent_id = ` + c.arg(q.ParentID))
	}
	if q.WatchedBy != 0 {
		c.and(`(` + c.ownedBy(q.WatchedBy) + ` OR ` + c.memberOf(q.WatchedBy) +
			` OR id IN (SELECT repository_id FROM forge_stars WHERE user_id = ` + c.arg(q.WatchedBy) + `))`)
	}
	if q.Private != nil {
		c.and(`private = ` + c.arg(*q.Private))
	}
	if q.Fork != nil && *q.Fork {
		c.and(`parent_id <> 0`)
	}
	if q.Fork != nil && !*q.Fork {
		c.and(`parent_id = 0`)
	}
	return text + ` WHERE ` + strings.Join(c.parts, ` AND `), c.args
}

// orderBy is a complete order: pages neither repeat nor lose a row.
func (q RepositoryQuery) orderBy() string {
	direction := ``
	if q.Descending {
		direction = ` DESC`
	}
	switch q.Order {
	case ByCreated:
		return ` ORDER BY created_at` + direction + `, id` + direction
	case ByUpdated:
		return ` ORDER BY updated_at` + direction + `, id` + direction
	case ByPushed:
		return ` ORDER BY COALESCE(pushed_at, '')` + direction + `, id` + direction
	case ByStarred:
		return ` ORDER BY starred_at` + direction + `, id` + direction
	case ByStars:
		return ` ORDER BY (SELECT COUNT(*) FROM forge_stars s WHERE s.repository_id = forge_repositories.id)` +
			direction + `, id` + direction
	case ByName:
	}
	return ` ORDER BY folded_owner` + direction + `, folded_name` + direction
}

func countMatching(ctx context.Context, q database.Querier, query RepositoryQuery) (n int64, err error) {
	text, args := matching(query)
	err = q.QueryRow(ctx, `SELECT COUNT(*)`+text, args...).Scan(&n)
	return n, err
}

func listMatching(ctx context.Context, q database.Querier, query RepositoryQuery) ([]Repository, error) {
	text, args := matching(query)
	c := condition{args: args}
	page := ` LIMIT ` + c.arg(query.Limit) + ` OFFSET ` + c.arg(query.Offset)
	return database.All(ctx, q, scanRepository, `SELECT `+repositoryColumns+text+query.orderBy()+page, c.args...)
}

func starsPerRepository(list string) string {
	return `SELECT repository_id, COUNT(*) FROM forge_stars WHERE repository_id IN ` + list + ` GROUP BY repository_id`
}

func forksPerRepository(list string) string {
	return `SELECT parent_id, COUNT(*) FROM forge_repositories WHERE parent_id IN ` + list + ` GROUP BY parent_id`
}

func networkPerRepository(list string) string {
	return `SELECT a.id, COUNT(*) FROM forge_repositories a JOIN forge_repositories b ON b.network_id = a.network_id
		WHERE a.id IN ` + list + ` GROUP BY a.id`
}

// subscribers are those of Watched.
const subscribers = `SELECT repository_id, user_id FROM forge_stars
	UNION SELECT repository_id, user_id FROM forge_members
	UNION SELECT id AS repository_id, owner_id AS user_id FROM forge_repositories WHERE owner_kind = 'user'`

func subscribersPerRepository(list string) string {
	return `SELECT repository_id, COUNT(*) FROM (` + subscribers + `) AS s WHERE repository_id IN ` + list +
		` GROUP BY repository_id`
}

func countPer(
	ctx context.Context, q database.Querier, statement func(list string) string, ids []int64,
) (map[int64]int64, error) {
	list, args := database.In(1, ids)
	scan := func(s database.Scanner) (pair [2]int64, err error) {
		err = s.Scan(&pair[0], &pair[1])
		return pair, err
	}
	pairs, err := database.All(ctx, q, scan, statement(list), args...)
	out := make(map[int64]int64, len(pairs))
	for _, p := range pairs {
		out[p[0]] = p[1]
	}
	return out, err
}

func hasPublicPart(ctx context.Context, q database.Querier, userID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, `
		SELECT COUNT(*) FROM (SELECT id FROM forge_repositories WHERE private = FALSE AND (
			(owner_kind = 'user' AND owner_id = $1)
			OR id IN (SELECT repository_id FROM forge_members WHERE user_id = $1)
			OR id IN (SELECT repository_id FROM forge_stars WHERE user_id = $1)) LIMIT 1) AS shown`, userID).Scan(&n)
	return n > 0, err
}
