package articles

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// The tag that says what an operation asks of its caller; see gate.
const (
	tagNeed = "need"
	// needNothing: the operation proves its caller itself.
	needNothing = "nothing"
	// needOwn: the caller's own data.
	needOwn = "own"

	// tagEdition names the only edition that an operation is offered in.
	tagEdition    = "edition"
	editionTeam   = "team"
	editionPublic = "public"
)

// routes is the operation table of the contract. Credentials are optional
// here, because what is needed depends on the host: gate decides.
func (s *Service) routes() []route.Route {
	open := map[string]string{tagNeed: needNothing}
	own := map[string]string{tagNeed: needOwn}
	return append([]route.Route{
		{Method: "GET", Pattern: "/api/v2/oauth/authorize", Name: "oauth.authorize", Tags: open, Handle: s.handleAuthorize},
		{Method: "GET", Pattern: "/api/v2/oauth/team_authorize", Name: "oauth.teamAuthorize", Tags: open, Handle: s.handleTeamAuthorize},
		{Method: "POST", Pattern: "/api/v2/access_tokens", Name: "accessTokens.create", Tags: open, Handle: s.handleCreateToken},
		{Method: "DELETE", Pattern: "/api/v2/access_tokens/{access_token}", Name: "accessTokens.delete", Tags: open, Handle: s.handleDeleteToken},
		{Method: "POST", Pattern: "/api/v2/team_access_tokens", Name: "teamAccessTokens.create", Tags: open, Handle: s.handleCreateTeamToken},
		{Method: "DELETE", Pattern: "/api/v2/team_access_tokens/{access_token}", Name: "teamAccessTokens.delete", Tags: open, Handle: s.handleDeleteTeamToken},
		{Method: "GET", Pattern: "/api/v2/schema", Name: "schema.get", Tags: open, Handle: s.handleSchema},
		{Method: "GET", Pattern: "/api/v2/authenticated_user", Name: "authenticatedUser.get", Access: route.Optional, Tags: own, Handle: s.handleAuthenticatedUser},
		{Method: "GET", Pattern: "/api/v2/authenticated_user/items", Name: "authenticatedUser.items", Access: route.Optional, Tags: own, Handle: s.handleOwnItems},
	}, slices.Concat(s.dataRoutes(), s.markRoutes(), s.teamRoutes(), abolishedRoutes(), []route.Route{s.previewRoute()})...)
}

func row(method, pattern, name string, tags map[string]string, handle route.Handler) route.Route {
	return route.Route{Method: method, Pattern: "/api/v2/" + pattern, Name: name, Access: route.Optional, Tags: tags, Handle: handle}
}

// markRoutes are likes, stocks and followed tags.
func (s *Service) markRoutes() []route.Route {
	public, own := map[string]string{tagEdition: editionPublic}, map[string]string{tagNeed: needOwn}
	ownLike := map[string]string{tagEdition: editionPublic, tagNeed: needOwn}
	return []route.Route{
		row("GET", "items/{item_id}/likes", "likes.list", public, s.handleLikes),
		row("GET", "items/{item_id}/like", "likes.get", ownLike, s.handleMarked(likeMark())),
		row("PUT", "items/{item_id}/like", "likes.put", public, s.handleMark(likeMark(), true)),
		row("DELETE", "items/{item_id}/like", "likes.delete", public, s.handleMark(likeMark(), false)),
		row("GET", "items/{item_id}/stock", "stocks.get", own, s.handleMarked(stockMark())),
		row("PUT", "items/{item_id}/stock", "stocks.put", nil, s.handleMark(stockMark(), true)),
		row("DELETE", "items/{item_id}/stock", "stocks.delete", nil, s.handleMark(stockMark(), false)),
		row("GET", "items/{item_id}/stockers", "items.stockers", nil, s.handleStockers),
		row("GET", "users/{user_id}/stocks", "users.stocks", nil, s.handleStocks),
		row("GET", "users/{user_id}/following_tags", "users.followingTags", nil, s.handleFollowingTags),
		row("GET", "users/{user_id}/followees", "users.followees", nil, s.handleFollowees),
		row("GET", "users/{user_id}/followers", "users.followers", nil, s.handleFollowers),
		row("GET", "users/{user_id}/following", "userFollowing.get", own, s.handleFollowsUser),
		row("PUT", "users/{user_id}/following", "userFollowing.put", nil, s.handleFollowUser(true)),
		row("DELETE", "users/{user_id}/following", "userFollowing.delete", nil, s.handleFollowUser(false)),
		row("GET", "tags/{tag_id}/following", "following.get", own, s.handleFollowing),
		row("PUT", "tags/{tag_id}/following", "following.put", nil, s.handleFollow(true)),
		row("DELETE", "tags/{tag_id}/following", "following.delete", nil, s.handleFollow(false)),
	}
}

// teamRoutes are what only teams have.
func (s *Service) teamRoutes() []route.Route {
	team := map[string]string{tagEdition: editionTeam}
	return []route.Route{
		row("POST", "items/{item_id}/taggings", "taggings.create", team, s.handleAddTagging),
		row("DELETE", "items/{item_id}/taggings/{tagging_id}", "taggings.delete", team, s.handleRemoveTagging),
		row("GET", "items/reactions", "items.reactions", team, s.handleActions),
		row("GET", "items/{item_id}/reactions", "reactions.list", team, s.handleReactions),
		row("POST", "items/{item_id}/reactions", "reactions.create", team, s.handleReact),
		row("DELETE", "items/{item_id}/reactions/{reaction_name}", "reactions.delete", team, s.handleUnreact),
		row("GET", "comments/{comment_id}/reactions", "commentReactions.list", team, s.handleReactions),
		row("POST", "comments/{comment_id}/reactions", "commentReactions.create", team, s.handleReact),
		row("DELETE", "comments/{comment_id}/reactions/{reaction_name}", "commentReactions.delete", team, s.handleUnreact),
		row("GET", "groups", "groups.list", team, s.handleGroups),
		row("POST", "groups", "groups.create", team, s.handleCreateGroup),
		row("GET", "groups/{url_name}", "groups.get", team, s.handleGroup),
		row("PATCH", "groups/{url_name}", "groups.update", team, s.handleUpdateGroup),
		row("DELETE", "groups/{url_name}", "groups.delete", team, s.handleDeleteGroup),
		row("GET", "groups/{url_name}/members", "groupMembers.list", team, s.handleGroupMembers),
		row("POST", "groups/{url_name}/members", "groupMembers.create", team, s.handleAddMembers),
		row("DELETE", "groups/{url_name}/members", "groupMembers.delete", team, s.handleRemoveMembers),
		row("GET", "groups/{url_name}/members/{user_id}", "groupMembers.get", team, s.handleGroupMember),
		row("GET", "teams", "teams.list", team, s.handleTeams),
		row("GET", "team_memberships", "teamMemberships.list", team, s.handleMemberships),
		row("DELETE", "remove_team_member/{user_id}", "teamMemberships.delete", team, s.handleRemoveMember),
	}
}

// abolishedRoutes say since when there are no projects.
func abolishedRoutes() []route.Route {
	open := map[string]string{tagNeed: needNothing}
	gone := abolished("Projects are abolished since 2022-10-01; use items")
	return []route.Route{
		row("GET", "projects", "projects.list", open, gone),
		row("POST", "projects", "projects.create", open, gone),
		row("GET", "projects/{project_id}", "projects.get", open, gone),
		row("PATCH", "projects/{project_id}", "projects.update", open, gone),
		row("DELETE", "projects/{project_id}", "projects.delete", open, gone),
		row("POST", "imported_projects", "importedProjects.create", open, gone),
	}
}

// dataRoutes are what both editions keep. Lists and items may be read by
// everybody on the public site.
func (s *Service) dataRoutes() []route.Route {
	team := map[string]string{tagEdition: editionTeam}
	return []route.Route{
		row("GET", "items", "items.list", nil, s.handleItems),
		row("POST", "items", "items.create", nil, s.handleCreateItem),
		row("GET", "items/{item_id}", "items.get", nil, s.handleItem),
		row("PATCH", "items/{item_id}", "items.update", nil, s.handleUpdateItem),
		row("DELETE", "items/{item_id}", "items.delete", nil, s.handleDeleteItem),
		row("GET", "items/{item_id}/comments", "comments.list", nil, s.handleComments),
		row("POST", "items/{item_id}/comments", "comments.create", nil, s.handleCreateComment),
		row("GET", "comments/{comment_id}", "comments.get", nil, s.handleComment),
		row("PATCH", "comments/{comment_id}", "comments.update", nil, s.handleUpdateComment),
		row("DELETE", "comments/{comment_id}", "comments.delete", nil, s.handleDeleteComment),
		row("GET", "tags", "tags.list", nil, s.handleTags),
		row("GET", "tags/{tag_id}", "tags.get", nil, s.handleTag),
		row("GET", "tags/{tag_id}/items", "tags.items", nil, s.handleTagItems),
		row("GET", "users", "users.list", nil, s.handleUsers),
		row("GET", "users/{user_id}", "users.get", nil, s.handleUser),
		row("GET", "users/{user_id}/items", "users.items", nil, s.handleUserItems),
		row("GET", "posting-campaigns", "postingCampaigns.list", nil, s.handleCampaigns),
		row("GET", "posting-campaigns/{uuid}", "postingCampaigns.get", nil, s.handleCampaign),
		row("GET", "templates", "templates.list", team, s.handleTemplates),
		row("POST", "templates", "templates.create", team, s.handleCreateTemplate),
		row("GET", "templates/{template_id}", "templates.get", team, s.handleTemplate),
		row("PATCH", "templates/{template_id}", "templates.update", team, s.handleUpdateTemplate),
		row("POST", "expanded_templates", "expandedTemplates.create", team, s.handleExpand),
		row("DELETE", "templates/{template_id}", "templates.delete", team, s.handleDeleteTemplate),
	}
}

// faces puts the pages beside the interface for programs. On a team's host the
// first page is the root too.
func faces(programs, people http.Handler) http.Handler {
	roof := route.NewHostMux(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			people.ServeHTTP(w, r)
			return
		}
		programs.ServeHTTP(w, r)
	}))
	roof.Prefix(pagesPrefix, people)
	return roof
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service: Name, WriteError: writeError, Before: s.before,
		Extract: route.Bearer(), Authenticate: s.identity.Authenticator(Name), Gate: s.gate,
		CORS:  &route.CORS{Origins: []string{"*"}, Expose: []string{"Link", "Total-Count", "Rate-Limit", "Rate-Remaining", "Rate-Reset"}, MaxAge: time.Hour},
		Clock: s.world.Clock, IDs: s.world.IDs, Memory: s.world.Memory, Requests: s.world.Requests, Telemetry: s.world.Telemetry,
	}
}

// before keeps plain HTTP on the machine: the contract requires TLS.
func (s *Service) before(_ http.ResponseWriter, r *route.Request) error {
	if r.TLS != nil || strings.HasPrefix(s.world.URL(), "https:") {
		return nil
	}
	if route.Loopback(r.Request) {
		return nil
	}
	return errForbidden("Use HTTPS")
}

// gate finds the edition and holds its rules.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (release func(), err error) {
	need := r.Route.Tags[tagNeed]
	if need == needNothing {
		return nil, nil
	}
	if err := s.charge(w, r); err != nil {
		return nil, err
	}
	place, err := s.place(r)
	if err != nil {
		return nil, err
	}
	switch only := r.Route.Tags[tagEdition]; {
	case only == editionTeam && place.Team == nil:
		return nil, errNotFound()
	case only == editionPublic && place.Team != nil:
		// Likes are all that only the public site has.
		return nil, &Error{NotFound, "Likes are abolished in teams since 2020-11-04; use reactions"}
	}
	return nil, s.Admit(r.Context(), place, Need{Write: writes(r), Own: need == needOwn}, identity.From(r))
}

func writes(r *route.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// place is the edition that the request's host names.
func (s *Service) place(r *route.Request) (Place, error) {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return s.PlaceOf(r.Context(), host)
}
