package conductrules

import (
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what the service asks of its clients.
func Rules() []conduct.Rule {
	return append(signInConduct(), []conduct.Rule{
		{
			ID: "articles.budget", Severity: conduct.Warning, Title: "Wait for Rate-Reset when Rate-Remaining is 0",
			Why:      "The next request is refused: the hour is used up until the time that the header names.",
			Contract: "F-75, F-77: 1000 authenticated requests an hour, and a header tells how many remain.",
			Example:  "An answer has Rate-Remaining: 0, and the next request comes at once.",
			New: conduct.Waits("the budget returns after", func(r *conduct.Request) string { return "client " + r.Who() },
				func(r *conduct.Request) (time.Duration, bool) {
					reset, err := strconv.ParseInt(r.Answer("Rate-Reset"), 10, 64)
					return time.Unix(reset, 0).Sub(r.At), err == nil && r.OK() && r.Answer("Rate-Remaining") == "0"
				}),
		},
		{
			ID: "articles.link", Severity: conduct.Warning, Title: "Follow Link instead of counting pages",
			Why:      "Pages beyond the last are empty, and each costs a request of the hour.",
			Contract: "F-80: paged answers carry a Link header with first, prev, next and last.",
			Example:  `page=3 is asked for although the answer to page=2 had no rel="next".`,
			New:      conduct.Beyond(lists()...),
		},
		{
			ID: "articles.page-size", Severity: conduct.Info, Title: "Read long lists with per_page=100",
			Why:      "A page has 20 entries when nothing is said: five requests where one would do.",
			Contract: "F-79: per_page is 1 to 100, 20 by default.",
			Example:  "GET /api/v2/items?page=5 without per_page.",
			New: func(b *conduct.Breaches) conduct.Check {
				const many = 5
				return conduct.Each(func(r *conduct.Request) {
					if r.Method != "GET" || !r.OK() || r.Param("per_page") != "" {
						return
					}
					if page, err := strconv.Atoi(r.Param("page")); err == nil && page >= many {
						b.Add(r.Line()+" reads page "+strconv.Itoa(page)+" of 20 entries each", r.Past())
					}
				})
			},
		},
		{
			ID: "articles.abolished", Severity: conduct.Warning, Title: "Do not use projects any more",
			Why:      "They were abolished on 2022-10-01 and answer nothing useful.",
			Contract: "F-63: projects and imported projects are abolished since 2022-10-01.",
			Example:  "GET /api/v2/projects.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if strings.HasPrefix(r.Operation, "projects.") || r.Operation == "importedProjects.create" {
						b.Add(r.Line()+" is abolished", r.Past())
					}
				})
			},
		},
		{
			ID: "articles.post-repeated", Severity: conduct.Warning, Title: "Look before posting again",
			Why:      "A post whose answer was lost may have been done: a blind repeat publishes it twice.",
			Contract: "F-43, F-74: every POST creates and answers 201; no key tells a repeat from a new comment.",
			Example:  "POST …/comments is cut off before its answer and sent again with the same body.",
			New:      conduct.RepeatsSafely(nil, "items.create", "comments.create", "templates.create"),
		},
	}...)
}

// lists are the operations with pages.
func lists() []string {
	return []string{
		"authenticatedUser.items", "items.list", "comments.list", "tags.list", "tags.items", "users.list", "users.items",
		"users.stocks", "users.followingTags", "users.followees", "users.followers", "items.stockers", "items.reactions",
		"templates.list", "teamMemberships.list",
	}
}

// signInConduct are the rules about tokens.
func signInConduct() []conduct.Rule {
	authorizes := func(r *conduct.Request) bool {
		return (r.Operation == "oauth.authorize" || r.Operation == "oauth.teamAuthorize") && r.Method == "GET" &&
			r.Param("client_id") != ""
	}
	return []conduct.Rule{
		{
			ID: "articles.code-twice", Severity: conduct.Error, Title: "Exchange a code once",
			Why:      "The second exchange fails: the token of the first must be kept.",
			Contract: "F-21: a code is exchanged once for a token.",
			Example:  "The same code is sent to POST /api/v2/access_tokens twice, the first time with success.",
			New: conduct.Once("a code", func(r *conduct.Request) string {
				if r.Operation != "accessTokens.create" && r.Operation != "teamAccessTokens.create" {
					return ""
				}
				code, _ := r.Body("/code").(string)
				return code
			}),
		},
		{
			ID: "articles.state", Severity: conduct.Warning, Title: "Send state with the authorization request",
			Why:      "Without it another site can make a user's browser finish a sign-in that the user did not begin.",
			Contract: "F-29: state protects against cross-site request forgery and comes back unchanged.",
			Example:  "GET /api/v2/oauth/authorize?client_id=…&scope=read_svc without state.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if authorizes(r) && r.Param("state") == "" {
						b.Add(r.Line()+" has no state", r.Past())
					}
				})
			},
		},
		{
			ID: "articles.team-scope", Severity: conduct.Warning, Title: "Ask for team scopes at team_authorize",
			Why:      "The common page stops granting them, and such tokens do not reach teams with single sign-on.",
			Contract: "F-31: oauth/authorize is deprecated since 2020-06-05 for team scopes.",
			Example:  "GET /api/v2/oauth/authorize?scope=read_svc_team.",
			New: func(b *conduct.Breaches) conduct.Check {
				return conduct.Each(func(r *conduct.Request) {
					if authorizes(r) && r.Operation == "oauth.authorize" && strings.Contains(r.Param("scope"), "_team") {
						b.Add(r.Line()+" asks for a team scope", r.Past())
					}
				})
			},
		},
	}
}
