package ownedrows

import (
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/ownership"
)

// All says what belongs to a user or an organization. History stays.
func All() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "apps",
			SQL: `SELECT COUNT(*) FROM events_apps WHERE owner_kind = 'user' AND owner_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "events",
			SQL: `SELECT COUNT(*) FROM events_events WHERE actor_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "issues and pull requests", Key: lowerName,
			SQL: `SELECT COUNT(*) FROM events_issues WHERE author = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "assigned issues", Key: lowerName,
			SQL: `SELECT COUNT(*) FROM events_issue_marks WHERE kind = 'assignee' AND value = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "comments", Key: inAuthor,
			SQL: `SELECT COUNT(*) FROM events_comments WHERE data LIKE $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "reviews", Key: inAuthor,
			SQL: `SELECT COUNT(*) FROM events_reviews WHERE data LIKE $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "releases", Key: inAuthor,
			SQL: `SELECT COUNT(*) FROM events_releases WHERE data LIKE $1`,
		},
		{
			Of: ownership.Org, Effect: ownership.Blocks, What: "apps",
			SQL: `SELECT COUNT(*) FROM events_apps WHERE owner_kind = 'org' AND owner_id = $1`,
		},
		{
			Of: ownership.Org, Effect: ownership.Blocks, What: "webhooks",
			SQL: `SELECT COUNT(*) FROM events_hooks WHERE owner_kind = 'organization' AND owner_id = $1`,
		},
		{
			Of: ownership.Org, Effect: ownership.Mentions, What: "events",
			SQL: `SELECT COUNT(*) FROM events_events WHERE org_id = $1`,
		},
	}
}

func lowerName(o ownership.Owner) any { return strings.ToLower(o.Name) }

// inAuthor finds the author in the stored form of a comment, a review or a release.
func inAuthor(o ownership.Owner) any { return `%"Author":{"ID":` + strconv.FormatInt(o.ID, 10) + `,%` }
