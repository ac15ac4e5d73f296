package articles

import (
	"encoding/json"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/describe"
	"stoa.dev/stoa/internal/service/articles/cache"
	"stoa.dev/stoa/internal/service/articles/site"
	"stoa.dev/stoa/internal/service/articles/tokens"
)

// describe writes the schema of the whole interface. It is made from the route
// table, from the shapes that requests are read into, and from what the encoders
// write, so it cannot say anything else than the code does.
func (s *Service) describe() ([]byte, error) {
	return describe.HyperSchema{
		Title: "Articles API v2", Description: "Markdown articles on a public site and in teams.",
		Resources: s.resources(), Links: links(), Tags: []string{tagEdition}, Null: nullable,
	}.Encode(s.routes())
}

// nullable describes a member that a sample leaves empty: the group and the
// membership of an item in a team, and otherwise a text.
func nullable(name string) describe.Object {
	switch name {
	case "group":
		group := describe.Object{"$ref": "#/definitions/group"}
		return describe.Object{"anyOf": []describe.Object{group, {"type": []string{"null"}}}}
	case "team_membership":
		name := describe.Object{"type": []string{"string"}}
		return describe.Object{"type": []string{"null", "object"}, "properties": describe.Object{"name": name}}
	}
	return describe.Object{"type": []string{"null", "string"}}
}

// resources are samples of everything that is sent. Each is written by the
// encoder that writes the real ones.
func (s *Service) resources() []describe.Resource {
	u := s.encodeUser("", User{User: identity.User{Name: "ada"}})
	group := groupJSON{}
	_, token := tokens.Shapes()
	sample := Item{author: author{User: u}, Tags: []Tagging{{Versions: []string{"1"}}}}
	item := appendItem(nil, encodeItem(site.Site{}, sample), cache.Bases{}, 0, u)
	user := json.RawMessage(u.json)
	return []describe.Resource{
		{Name: "access_token", Title: "Access token", Sample: token},
		{
			Name: "authenticated_user", Title: "Authenticated user",
			Sample: json.RawMessage(s.authenticatedUserToWire("", AuthenticatedUser{User: *u})),
		},
		{Name: "comment", Title: "Comment", Sample: commentJSON{User: user}},
		{Name: "error", Title: "Error", Sample: errorJSON{}},
		{Name: "expanded_template", Title: "Expanded template", Sample: expandedJSON{ExpandedTags: []Tagging{{}}}},
		{Name: "group", Title: "Group", Sample: group},
		{Name: "group_member", Title: "Group member", Sample: groupMemberJSON{}},
		{Name: "item", Title: "Item", Sample: json.RawMessage(item)},
		{Name: "item_action", Title: "Action on an item", Sample: actionJSON{
			Comments: []commentActionJSON{{Reactions: []reactionJSON{{}}}}, Reactions: []reactionJSON{{}},
		}},
		{Name: "like", Title: "Like", Sample: likeJSON{User: user}},
		{Name: "reaction", Title: "Reaction", Sample: reactionJSON{}},
		{Name: "tag", Title: "Tag", Sample: tagJSON{}},
		{Name: "tagging", Title: "Tagging", Sample: Tagging{Versions: []string{""}}},
		{Name: "team", Title: "Team", Sample: teamJSON{}},
		{Name: "team_membership", Title: "Team member", Sample: memberJSON{}},
		{
			Name: "template", Title: "Template",
			Sample: templateJSON{ExpandedTags: []Tagging{{}}, Tags: []Tagging{{}}, Group: &group},
		},
		{Name: "user", Title: "User", Sample: user},
	}
}

// links are what operations read and answer, named by their routes.
func links() map[string]describe.Link {
	request, _ := tokens.Shapes()
	token := describe.Link{
		Resource: "access_token", In: request, Required: []string{"client_id", "client_secret", "code"},
	}
	return map[string]describe.Link{
		"accessTokens.create":      token,
		"teamAccessTokens.create":  token,
		"authenticatedUser.get":    {Resource: "authenticated_user"},
		"authenticatedUser.update": {Resource: "authenticated_user"},
		"authenticatedUser.items":  {Resource: "item", List: true},
		"items.list":               {Resource: "item", List: true},
		"items.create":             {Resource: "item", In: itemRequest{}, Required: []string{"title", "body"}},
		"items.get":                {Resource: "item"},
		"items.update":             {Resource: "item", In: itemRequest{}},
		"items.stockers":           {Resource: "user", List: true},
		"items.reactions":          {Resource: "item_action", List: true},
		"comments.list":            {Resource: "comment", List: true},
		"comments.create":          {Resource: "comment", In: commentRequest{}, Required: []string{"body"}},
		"comments.get":             {Resource: "comment"},
		"comments.update":          {Resource: "comment", In: commentRequest{}, Required: []string{"body"}},
		"tags.list":                {Resource: "tag", List: true},
		"tags.get":                 {Resource: "tag"},
		"tags.items":               {Resource: "item", List: true},
		"following.get":            {Resource: "tag"},
		"users.list":               {Resource: "user", List: true},
		"users.get":                {Resource: "user"},
		"users.items":              {Resource: "item", List: true},
		"users.stocks":             {Resource: "item", List: true},
		"users.followingTags":      {Resource: "tag", List: true},
		"users.followees":          {Resource: "user", List: true},
		"users.followers":          {Resource: "user", List: true},
		"templates.list":           {Resource: "template", List: true},
		"templates.create": {
			Resource: "template", In: templateRequest{}, Required: []string{"name", "title", "body"},
		},
		"templates.get":            {Resource: "template"},
		"templates.update":         {Resource: "template", In: templatePatch{}},
		"expandedTemplates.create": {Resource: "expanded_template", In: expandRequest{}, Required: []string{"title", "body"}},
		"likes.list":               {Resource: "like", List: true},
		"taggings.create":          {Resource: "tagging", In: Tagging{}, Required: []string{"name"}},
		"reactions.list":           {Resource: "reaction", List: true},
		"reactions.create":         {Resource: "reaction", In: reactionRequest{}, Required: []string{"name"}},
		"commentReactions.list":    {Resource: "reaction", List: true},
		"commentReactions.create":  {Resource: "reaction", In: reactionRequest{}, Required: []string{"name"}},
		"groups.list":              {Resource: "group", List: true},
		"groups.create":            {Resource: "group", In: groupRequest{}, Required: []string{"url_name", "name"}},
		"groups.get":               {Resource: "group"},
		"groups.update":            {Resource: "group", In: groupPatch{}},
		"groupMembers.list":        {Resource: "group_member", List: true},
		"groupMembers.get":         {Resource: "group_member"},
		"groupMembers.create":      {Resource: "group", In: identitiesRequest{}, Required: []string{"identities"}},
		"groupMembers.delete":      {In: identitiesRequest{}, Required: []string{"identities"}},
		"teams.list":               {Resource: "team", List: true},
		"teamMemberships.list":     {Resource: "team_membership", List: true},
	}
}
