package ownedrows

import "stoa.dev/stoa/internal/platform/ownership"

// All says what belongs to a user or a team.
func All() []ownership.Rows { return append(ofUsers(), ofTeams()...) }

// ofUsers: counts that others see, such as likes, keep their users.
func ofUsers() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "articles",
			SQL: `SELECT COUNT(*) FROM articles_items WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Blocks, What: "pictures",
			SQL: `SELECT COUNT(*) FROM articles_pictures WHERE user_id = $1 AND NOT deleted`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "comments on articles",
			SQL: `SELECT COUNT(*) FROM articles_comments WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "likes of articles",
			SQL: `SELECT COUNT(*) FROM articles_likes WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "stocks of articles",
			SQL: `SELECT COUNT(*) FROM articles_stocks WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "reactions",
			SQL: `SELECT COUNT(*) FROM articles_reactions WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "thanks",
			SQL: `SELECT COUNT(*) FROM articles_thanks WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "follows",
			SQL: `SELECT COUNT(*) FROM articles_user_follows WHERE user_id = $1 OR thing = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Mentions, What: "followed tags",
			SQL: `SELECT COUNT(*) FROM articles_tag_follows WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_group_members WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_invitations WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_profiles WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_pictures WHERE user_id = $1`,
		},
		{
			Of: ownership.User, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_picture_months WHERE user_id = $1`,
		},
	}
}

func ofTeams() []ownership.Rows {
	return []ownership.Rows{
		{
			Of: ownership.Team, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_invitations WHERE team_id = $1`,
		},
		{
			Of: ownership.Team, Effect: ownership.Blocks, What: "articles",
			SQL: `SELECT COUNT(*) FROM articles_items WHERE team_id = $1`,
		},
		{
			Of: ownership.Team, Effect: ownership.Blocks, What: "groups",
			SQL: `SELECT COUNT(*) FROM articles_groups WHERE team_id = $1`,
		},
		{
			Of: ownership.Team, Effect: ownership.Blocks, What: "templates",
			SQL: `SELECT COUNT(*) FROM articles_templates WHERE team_id = $1`,
		},
		{
			Of: ownership.Team, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_tag_follows WHERE tag IN (SELECT number FROM articles_tags WHERE team_id = $1)`,
		},
		{
			Of: ownership.Team, Effect: ownership.Deleted,
			SQL: `DELETE FROM articles_tags WHERE team_id = $1`,
		},
	}
}
