package articles

import (
	"net/http"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/route/hostmux"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/web"
)

const (
	// tagNeed is what an operation asks of its caller; see gate.
	tagNeed = "need"
	// needNothing: the operation proves its caller itself.
	needNothing = "nothing"
	// needFile: a picture for browsers, which count nothing.
	needFile = "file"
	// needOwn: the caller's own data.
	needOwn = "own"

	// tagEdition names the only edition that an operation is offered in.
	tagEdition    = "edition"
	editionTeam   = "team"
	editionPublic = "public"
)

// routes is the operation table of the contract. Credentials are optional here,
// because what is needed depends on the host: gate decides.
func (s *Service) routes() []route.Route {
	preview := route.Route{
		Method: "POST", Pattern: previewPath, Name: "preview.create", Access: route.Optional,
		Tags: map[string]string{tagNeed: needOwn}, Handle: s.handlePreview,
	}
	return append(slices.Concat(
		s.callerRoutes(), s.dataRoutes(), s.relationRoutes(), s.teamRoutes(), abolishedRoutes(),
	), preview)
}

func row(method, pattern, name string, tags map[string]string, handle route.Handler) route.Route {
	return route.Route{
		Method: method, Pattern: "/api/v2/" + pattern, Name: name, Access: route.Optional, Tags: tags, Handle: handle,
	}
}

// callerRoutes are the token flow and the schema, which do not look at the caller's
// token, and the caller's own data.
func (s *Service) callerRoutes() []route.Route {
	own := map[string]string{tagNeed: needOwn}
	open := append(s.tokens.Routes("/api/v2/"),
		route.Route{Method: "GET", Pattern: "/api/v2/schema", Name: "schema.get", Handle: s.handleSchema})
	for n := range open {
		open[n].Tags = map[string]string{tagNeed: needNothing}
	}
	shown := s.pictures.PublicRoutes()
	for n := range shown {
		shown[n].Tags = map[string]string{tagNeed: needFile}
	}
	return append(slices.Concat(open, shown, s.pictures.CallerRoutes(s.world.URL)),
		row("GET", "authenticated_user", "authenticatedUser.get", own, s.handleAuthenticatedUser),
		row("PATCH", "authenticated_user", "authenticatedUser.update", nil, s.handleUpdateAuthenticatedUser),
		row("GET", "authenticated_user/items", "authenticatedUser.items", own, respondItems(s, Scope.handleOwnItems)),
	)
}

// dataRoutes are what both editions keep. Lists and items may be read without a
// token on the public site.
func (s *Service) dataRoutes() []route.Route {
	team := map[string]string{tagEdition: editionTeam}
	return []route.Route{
		row("GET", "items", "items.list", nil, respondItems(s, Scope.handleItems)),
		row("POST", "items", "items.create", nil, s.handleCreateItem),
		row("GET", "items/{item_id}", "items.get", nil, s.handleItem),
		row("PATCH", "items/{item_id}", "items.update", nil, s.handleUpdateItem),
		row("DELETE", "items/{item_id}", "items.delete", nil, handleNoContent(s, "item_id", Scope.DeleteItem)),
		row("GET", "items/{item_id}/comments", "comments.list", nil,
			handleListOf(s, "item_id", Scope.Comments, commentToWire)),
		row("POST", "items/{item_id}/comments", "comments.create", nil,
			respondCreated(s, Scope.handleCreateComment, commentToWire)),
		row("GET", "comments/{comment_id}", "comments.get", nil,
			handleOne(s, "comment_id", Scope.Comment, commentToWire)),
		row("PATCH", "comments/{comment_id}", "comments.update", nil,
			respondOne(s, Scope.handleUpdateComment, commentToWire)),
		row("DELETE", "comments/{comment_id}", "comments.delete", nil,
			handleNoContent(s, "comment_id", Scope.DeleteComment)),
		row("PUT", "comments/{comment_id}/thank", "thanks.put", nil, handleNoContent(s, "comment_id", Scope.thank)),
		row("DELETE", "comments/{comment_id}/thank", "thanks.delete", nil,
			handleNoContent(s, "comment_id", Scope.unthank)),
		row("GET", "tags", "tags.list", nil, respondList(s, Scope.handleTags, tagToWire)),
		row("GET", "tags/{tag_id}", "tags.get", nil, handleOne(s, "tag_id", Scope.Tag, tagToWire)),
		row("GET", "tags/{tag_id}/items", "tags.items", nil, handleItemsOf(s, "tag_id", Scope.TagItems)),
		row("GET", "users", "users.list", nil, handleList(s, Scope.Users, authorToWire)),
		row("GET", "users/{user_id}", "users.get", nil, handleOne(s, "user_id", Scope.User, userToWire)),
		row("GET", "users/{user_id}/items", "users.items", nil, handleItemsOf(s, "user_id", Scope.UserItems)),
		row("GET", "posting-campaigns", "postingCampaigns.list", nil, respondList(s, Scope.handleCampaigns, asIs)),
		row("GET", "posting-campaigns/{uuid}", "postingCampaigns.get", nil, s.handleCampaign),
		row("GET", "templates", "templates.list", team, handleList(s, Scope.Templates, templateToWire)),
		row("POST", "templates", "templates.create", team,
			respondCreated(s, Scope.handleCreateTemplate, templateToWire)),
		row("GET", "templates/{template_id}", "templates.get", team,
			handleOne(s, "template_id", Scope.Template, templateToWire)),
		row("PATCH", "templates/{template_id}", "templates.update", team,
			respondOne(s, Scope.handleUpdateTemplate, templateToWire)),
		row("POST", "expanded_templates", "expandedTemplates.create", team,
			s.handleExpandTemplate),
		row("DELETE", "templates/{template_id}", "templates.delete", team,
			handleNoContent(s, "template_id", Scope.DeleteTemplate)),
	}
}

// relationRoutes are likes, stocks and what is followed.
func (s *Service) relationRoutes() []route.Route {
	public, own := map[string]string{tagEdition: editionPublic}, map[string]string{tagNeed: needOwn}
	ownLike := map[string]string{tagEdition: editionPublic, tagNeed: needOwn}
	return []route.Route{
		row("GET", "items/{item_id}/likes", "likes.list", public, handleListOf(s, "item_id", Scope.Likes, likeToWire)),
		row("GET", "items/{item_id}/like", "likes.get", ownLike, handleNoContent(s, "item_id", Scope.checkLike)),
		row("PUT", "items/{item_id}/like", "likes.put", public, handleNoContent(s, "item_id", Scope.like)),
		row("DELETE", "items/{item_id}/like", "likes.delete", public, handleNoContent(s, "item_id", Scope.unlike)),
		row("GET", "items/{item_id}/stock", "stocks.get", own, handleNoContent(s, "item_id", Scope.checkStock)),
		row("PUT", "items/{item_id}/stock", "stocks.put", nil, handleNoContent(s, "item_id", Scope.stock)),
		row("DELETE", "items/{item_id}/stock", "stocks.delete", nil, handleNoContent(s, "item_id", Scope.unstock)),
		row("GET", "items/{item_id}/stockers", "items.stockers", nil,
			handleListOf(s, "item_id", Scope.Stockers, authorToWire)),
		row("GET", "users/{user_id}/stocks", "users.stocks", nil, handleItemsOf(s, "user_id", Scope.UserStocks)),
		row("GET", "users/{user_id}/following_tags", "users.followingTags", nil,
			handleListOf(s, "user_id", Scope.FollowingTags, tagToWire)),
		row("GET", "users/{user_id}/followees", "users.followees", nil,
			handleListOf(s, "user_id", Scope.Followees, authorToWire)),
		row("GET", "users/{user_id}/followers", "users.followers", nil,
			handleListOf(s, "user_id", Scope.Followers, authorToWire)),
		row("GET", "users/{user_id}/following", "userFollowing.get", own,
			handleNoContent(s, "user_id", Scope.checkUserFollowing)),
		row("PUT", "users/{user_id}/following", "userFollowing.put", nil,
			handleNoContent(s, "user_id", Scope.followUser)),
		row("DELETE", "users/{user_id}/following", "userFollowing.delete", nil,
			handleNoContent(s, "user_id", Scope.unfollowUser)),
		row("GET", "tags/{tag_id}/following", "following.get", own,
			handleOne(s, "tag_id", Scope.FollowedTag, tagToWire)),
		row("PUT", "tags/{tag_id}/following", "following.put", nil, handleNoContent(s, "tag_id", Scope.followTag)),
		row("DELETE", "tags/{tag_id}/following", "following.delete", nil,
			handleNoContent(s, "tag_id", Scope.unfollowTag)),
	}
}

// teamRoutes are what only teams have.
func (s *Service) teamRoutes() []route.Route {
	teamRow := func(method, pattern, name string, handle route.Handler) route.Route {
		return row(method, pattern, name, map[string]string{tagEdition: editionTeam}, handle)
	}
	invites := s.invites.Routes()
	for n := range invites {
		invites[n].Tags = map[string]string{tagEdition: editionTeam, tagNeed: needOwn}
	}
	return append(invites, []route.Route{
		teamRow("POST", "items/{item_id}/taggings", "taggings.create",
			respondCreated(s, Scope.handleCreateTagging, asIs)),
		teamRow("DELETE", "items/{item_id}/taggings/{tagging_id}", "taggings.delete",
			respondNoContent(s, Scope.handleDeleteTagging)),
		teamRow("GET", "items/reactions", "items.reactions", respondList(s, Scope.handleItemActions, s.actionToWire)),
		teamRow("GET", "items/{item_id}/reactions", "reactions.list",
			respondList(s, Scope.handleReactions, s.reactionToWire)),
		teamRow("POST", "items/{item_id}/reactions", "reactions.create",
			respondCreated(s, Scope.handleCreateReaction, s.reactionToWire)),
		teamRow("DELETE", "items/{item_id}/reactions/{reaction_name}", "reactions.delete",
			respondNoContent(s, Scope.handleDeleteReaction)),
		teamRow("GET", "comments/{comment_id}/reactions", "commentReactions.list",
			respondList(s, Scope.handleReactions, s.reactionToWire)),
		teamRow("POST", "comments/{comment_id}/reactions", "commentReactions.create",
			respondCreated(s, Scope.handleCreateReaction, s.reactionToWire)),
		teamRow("DELETE", "comments/{comment_id}/reactions/{reaction_name}", "commentReactions.delete",
			respondNoContent(s, Scope.handleDeleteReaction)),
		teamRow("GET", "groups", "groups.list", respondList(s, Scope.handleGroups, groupToWire)),
		teamRow("POST", "groups", "groups.create", respondCreated(s, Scope.handleCreateGroup, groupToWire)),
		teamRow("GET", "groups/{url_name}", "groups.get", respondOne(s, Scope.handleGroup, groupToWire)),
		teamRow("PATCH", "groups/{url_name}", "groups.update", respondOne(s, Scope.handleUpdateGroup, groupToWire)),
		teamRow("DELETE", "groups/{url_name}", "groups.delete", handleNoContent(s, "url_name", Scope.DeleteGroup)),
		teamRow("GET", "groups/{url_name}/members", "groupMembers.list",
			handleListOf(s, "url_name", Scope.GroupMembers, groupMemberToWire)),
		teamRow("POST", "groups/{url_name}/members", "groupMembers.create",
			respondCreated(s, Scope.handleAddMembers, groupToWire)),
		teamRow("DELETE", "groups/{url_name}/members", "groupMembers.delete",
			respondNoContent(s, Scope.handleRemoveMembers)),
		teamRow("GET", "groups/{url_name}/members/{user_id}", "groupMembers.get",
			respondOne(s, Scope.handleGroupMember, groupMemberToWire)),
		teamRow("GET", "teams", "teams.list", handleList(s, Scope.Teams, teamToWire)),
		teamRow("GET", "team_memberships", "teamMemberships.list", handleList(s, Scope.Memberships, memberToWire)),
		teamRow("DELETE", "remove_team_member/{user_id}", "teamMemberships.delete",
			handleNoContent(s, "user_id", Scope.RemoveMember)),
	}...)
}

// abolishedRoutes say since when there are no projects.
func abolishedRoutes() []route.Route {
	open := map[string]string{tagNeed: needNothing}
	gone := func(http.ResponseWriter, *route.Request) error {
		return refusal.New(refusal.NotFound, "Projects are abolished since 2022-10-01; use items")
	}
	return []route.Route{
		row("GET", "projects", "projects.list", open, gone),
		row("POST", "projects", "projects.create", open, gone),
		row("GET", "projects/{project_id}", "projects.get", open, gone),
		row("PATCH", "projects/{project_id}", "projects.update", open, gone),
		row("DELETE", "projects/{project_id}", "projects.delete", open, gone),
		row("POST", "imported_projects", "importedProjects.create", open, gone),
	}
}

// hostHandler puts the pages beside the API. On a team's host the first page is the
// root too.
func hostHandler(api, pages http.Handler) http.Handler {
	mux := hostmux.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			pages.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}))
	mux.Prefix(web.Prefix, pages)
	return mux
}

func (s *Service) muxOptions() route.Options {
	o := s.pagesOptions()
	o.WriteError = writeError
	o.Extract, o.Authenticate, o.Gate = credential.Bearer(), s.identity.Authenticator(Name), s.gate
	o.CORS = &route.CORS{
		MaxAge: time.Hour,
		Expose: []string{"Link", "Total-Count", "Rate-Limit", "Rate-Remaining", "Rate-Reset"},
	}
	return o
}
