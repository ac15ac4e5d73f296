// Package articles is the article service (service F): Markdown articles on a
// public host and, per team, on a host of the team's own.
//
//	GET    /api/v2/oauth/authorize                     oauth.authorize
//	GET    /api/v2/oauth/team_authorize                oauth.teamAuthorize     team host
//	POST   /api/v2/access_tokens                       accessTokens.create
//	DELETE /api/v2/access_tokens/:access_token         accessTokens.delete
//	POST   /api/v2/team_access_tokens                  teamAccessTokens.create team host
//	DELETE /api/v2/team_access_tokens/:access_token    teamAccessTokens.delete team host
//	GET    /api/v2/authenticated_user                  authenticatedUser.get
//	GET    /api/v2/authenticated_user/items            authenticatedUser.items
//	GET, POST          /api/v2/items                   items.list, create
//	GET, PATCH, DELETE /api/v2/items/:item_id          items.get, update, delete
//	GET, POST          /api/v2/items/:item_id/comments comments.list, create
//	GET, PATCH, DELETE /api/v2/comments/:comment_id    comments.get, update, delete
//	GET    /api/v2/tags                                tags.list
//	GET    /api/v2/tags/:tag_id                        tags.get
//	GET    /api/v2/tags/:tag_id/items                  tags.items
//	GET    /api/v2/users, /api/v2/users/:user_id       users.list, get
//	GET    /api/v2/users/:user_id/items                users.items
//	GET    /api/v2/users/:user_id/followees, followers users.followees, followers
//	GET, PUT, DELETE /api/v2/users/:user_id/following  userFollowing.get, put, delete
//	GET, POST   /api/v2/templates                      templates.list, create  team host
//	GET, PATCH, DELETE /api/v2/templates/:template_id  templates.get, update, delete team host
//	POST   /api/v2/expanded_templates                  expandedTemplates.create team host
//	GET    /api/v2/items/:item_id/likes                likes.list              public host
//	GET, PUT, DELETE /api/v2/items/:item_id/like       likes.get, put, delete  public host
//	GET, PUT, DELETE /api/v2/items/:item_id/stock      stocks.get, put, delete
//	GET    /api/v2/items/:item_id/stockers             items.stockers
//	GET    /api/v2/users/:user_id/stocks               users.stocks
//	GET    /api/v2/users/:user_id/following_tags       users.followingTags
//	GET, PUT, DELETE /api/v2/tags/:tag_id/following    following.get, put, delete
//	POST   /api/v2/items/:item_id/taggings             taggings.create         team host
//	DELETE /api/v2/items/:item_id/taggings/:tagging_id taggings.delete         team host
//	GET    /api/v2/items/reactions                     items.reactions         team host
//	GET, POST /api/v2/items/:item_id/reactions         reactions.list, create  team host
//	DELETE /api/v2/items/:item_id/reactions/:name      reactions.delete        team host
//	The same three below /api/v2/comments/:comment_id  commentReactions        team host
//	GET, POST /api/v2/groups                           groups.list, create     team host
//	GET, PATCH, DELETE /api/v2/groups/:url_name        groups.get, update, delete team host
//	GET, POST, DELETE /api/v2/groups/:url_name/members groupMembers            team host
//	GET    /api/v2/groups/:url_name/members/:user_id   groupMembers.get        team host
//	GET    /api/v2/teams                               teams.list              team host
//	GET    /api/v2/team_memberships                    teamMemberships.list    team host
//	DELETE /api/v2/remove_team_member/:user_id         teamMemberships.delete  team host
//	GET    /api/v2/schema                              schema.get
//	GET    /api/v2/posting-campaigns, …/:uuid          postingCampaigns        always empty
//	POST   /api/preview                                preview.create
//	PATCH  /api/v2/authenticated_user                  authenticatedUser.update
//	PUT, DELETE /api/v2/comments/:comment_id/thank     thanks.put, delete
//	POST   /api/v2/pictures                            pictures.create
//	GET, DELETE /api/v2/pictures/:picture_id           pictures.get, delete
//	GET    /api/v2/pictures/users/:picture_name        pictures.user
//
// Browsers read at the addresses that items carry: /articles, /articles/USER,
// /articles/USER/items/ITEM and /articles/tags/TAG, on a team's host its members
// only, in the console's frame and without scripts.
//
// A team's host is TEAM. before the article host, by default TEAM.localhost. The
// same paths serve the team's data there. Everything on a team host needs a
// token of a member with read_svc_team, or write_svc_team for other methods than
// GET. On the public host reading is free, the caller's own data needs read_svc,
// and writing needs write_svc. A team that allows single sign-on only takes team
// access tokens only.
//
// Tokens come from the authorize pages, which ask the user and send the browser
// to the registered address with a code, or from the console. A code is good
// once. Tokens do not expire; they can be deactivated.
//
// Errors are {"message":…,"type":…} with one of five statuses:
//
//	400 bad_request   401 unauthorized   403 forbidden   404 not_found
//	500 internal_server_error
//
// # Where the contract is silent we decided
//
//   - F-N1: projects have no members, because there are none.
//   - F-N2: items, their comments, templates, groups, likes, stocks, reactions and
//     following can be made and unmade over the API, as clients of the real service
//     expect; users and teams are made by the operator, and an invitation to a team
//     (package invitations) is for who has its address. Imported items and comments
//     are not offered: lists go by when something was written here.
//   - F-N3: the JSON Schema is at /api/v2/schema, draft 4 with links, made from the
//     route table, the request shapes and the encoders. The locale changes nothing.
//   - F-N4: the types above, rate_limit_exceeded, and nothing else.
//   - F-N5: Rate-Limit, Rate-Remaining and Rate-Reset (seconds since 1970) tell
//     what is left. Pictures and pages are not counted, everything else is: by
//     user, or by address without a token.
//   - F-N6: nothing is sent when something changes. What is abolished stays a path
//     that says so.
//   - F-N7: 403 with rate_limit_exceeded and Retry-After.
//   - F-N8: projects and likes in teams are 404 not_found, with a message that says
//     since when.
//   - F-N9: 404 when the caller does not follow the tag.
//   - F-N10: a missing, unknown or deactivated token is 401; a missing scope, a
//     caller who is not a member of the team and an ordinary token at a
//     single-sign-on team are 403; an unknown client or a wrong secret is 401; a code
//     that is unknown, used, expired or another client's is 400. Removing oneself or
//     the owner, and removing a member as a plain member, is 403.
//   - F-N11: page and per_page outside 1 to 100 are 400.
//   - F-N12: every list pages.
//   - F-N13: tags are listed newest first; sort=count lists the most used first and
//     sort=name goes by name without regard to case. Followed tags are listed
//     with the one followed last first.
//   - F-N14: POST of tokens needs no bearer token, because it is how a client gets
//     one. DELETE needs one of the user whose token it is, be it the same. A token
//     that is unknown, another user's or deactivated already is 404.
//   - F-N15: a tagging is named by its tag, without regard to case. On the public
//     site group and team_membership are null; organization_url_name is null
//     everywhere.
//   - A private item is in the lists of its author only and counted nowhere. Who
//     knows its address may read it. What was public cannot become private.
//   - private on a team's host, and coediting or group_url_name on the public site, are
//     refused with 400 where they ask for something: ignored, an item would be read by more
//     than its author meant. What clients send of every item, false, null and an empty name,
//     is taken. Members that the shape does not have (tweet, gist, organization_url_name,
//     campaigns) stay without effect, as there is nothing here that they could change.
//   - team_only is false and organization_url_name null: users belong to the server.
//   - Only the author changes an item, except that members change one with
//     coediting. Every member of a team tags its items and changes its templates,
//     as far as a private group does not hide them. In a change null leaves a member
//     as it is; an empty group_url_name gives an item to the whole team.
//   - Liking, stocking, following or reacting twice counts once.
//   - A text that is too complex is refused with 400 and the reason, in the preview
//     and wherever it would be stored. One that was stored before there were limits is
//     shown as it was written, with the reason. Package markdown says what is rendered
//     and what is too complex, package search what a query may hold.
//   - A private group, with its items and templates, is seen by its members and by
//     the owner and the admins of the team. Its maker is its first member. Members
//     and managers change it; one with items or templates cannot be deleted,
//     because everybody would see them then. Tags belong to the whole team, and
//     their counts to all of its items.
//   - page_views_count counts who reads the page, the author left out; it is shown
//     to everybody, at once in the process that counted and in others once that
//     process has written what it counted, every minute or when it ends.
//   - A comment has at most 64 KB and the text of a template 256 KB; an item is
//     bounded by the request, 1 MB. Lists of long items are sent in parts, and memory
//     of the process is taken for their rows while they are read; without it the
//     answer is that of a rate limit.
//   - items/reactions shows the newest 10,000 comments and reactions of a page.
//   - Following oneself is 403.
//   - The authorize pages answer 200 with a page to sign in on or to consent on.
//     A wrong request is a page for browsers and the error body for everybody
//     else. When the user says no, the browser goes back with
//     error=access_denied (RFC 6749).
//   - F-31: team scopes at oauth/authorize still work and are deprecated since
//     2020-06-05; use oauth/team_authorize.
//   - A client with several registered addresses names one in redirect_uri,
//     compared to the letter; without it the first is used.
//   - A proof key (RFC 7636, S256) is accepted, with code_verifier in the token
//     request, and required of clients that cannot keep a secret.
//   - The status when too much is asked is 403 with rate_limit_exceeded; a wrong
//     method is 404 and a body that is too large 400, because the contract lists
//     no other statuses.
//   - F-23: plain HTTP is served to callers on the same machine only, unless the
//     configured base URL is HTTPS: then a proxy has taken care of it.
package articles
