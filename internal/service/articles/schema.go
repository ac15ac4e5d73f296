package articles

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// The schema describes the interface to programs: a JSON Schema (draft 4 with
// links) of every resource and every operation. It is made from the route table,
// from the shapes that requests are read into, and from what the encoders write,
// so it cannot say anything else than the code does.

type schema map[string]any

// resource is one definition: how it is called, and a value of it.
type resource struct {
	name, title string
	sample      any
}

// resources are samples of everything that is sent. Each is written by the
// encoder that writes the real ones.
func (s *Service) resources() []resource {
	u := s.encodeUser(User{User: identity.User{Name: "ada"}})
	group := groupJSON{}
	sample := Item{author: author{User: u}, Tags: []Tagging{{Versions: []string{"1"}}}}
	item := appendItem(nil, s.encodeItem(Edition{}, sample), 0, u)
	user := json.RawMessage(u.json)
	return []resource{
		{"access_token", "Access token", tokenJSON{Scopes: []string{""}}},
		{
			"authenticated_user", "Authenticated user",
			json.RawMessage(s.authenticatedUserToWire(AuthenticatedUser{User: *u})),
		},
		{"comment", "Comment", commentJSON{User: user}},
		{"error", "Error", errorJSON{}},
		{"expanded_template", "Expanded template", expandedJSON{ExpandedTags: []Tagging{{}}}},
		{"group", "Group", group},
		{"group_member", "Group member", groupMemberJSON{}},
		{"item", "Item", json.RawMessage(item)},
		{"item_action", "Action on an item", actionJSON{
			Comments: []commentActionJSON{{Reactions: []reactionJSON{{}}}}, Reactions: []reactionJSON{{}},
		}},
		{"like", "Like", likeJSON{User: user}},
		{"reaction", "Reaction", reactionJSON{}},
		{"tag", "Tag", tagJSON{}},
		{"tagging", "Tagging", Tagging{Versions: []string{""}}},
		{"team", "Team", teamJSON{}},
		{"team_membership", "Team member", memberJSON{}},
		{"template", "Template", templateJSON{ExpandedTags: []Tagging{{}}, Tags: []Tagging{{}}, Group: &group}},
		{"user", "User", user},
	}
}

// operation is what the route table does not say of an operation.
type operation struct {
	resource string
	// request is the shape of the body, with what it must hold.
	request  any
	required []string
	// list is true when the answer is an array.
	list bool
}

// operations are named by their routes. What is not here has neither a body to
// send nor one to receive.
func operations() map[string]operation {
	token := operation{
		resource: "access_token", request: createTokenRequest{},
		required: []string{"client_id", "client_secret", "code"},
	}
	return map[string]operation{
		"accessTokens.create":      token,
		"teamAccessTokens.create":  token,
		"authenticatedUser.get":    {resource: "authenticated_user"},
		"authenticatedUser.items":  {resource: "item", list: true},
		"items.list":               {resource: "item", list: true},
		"items.create":             {resource: "item", request: itemRequest{}, required: []string{"title", "body"}},
		"items.get":                {resource: "item"},
		"items.update":             {resource: "item", request: itemRequest{}},
		"items.stockers":           {resource: "user", list: true},
		"items.reactions":          {resource: "item_action", list: true},
		"comments.list":            {resource: "comment", list: true},
		"comments.create":          {resource: "comment", request: commentRequest{}, required: []string{"body"}},
		"comments.get":             {resource: "comment"},
		"comments.update":          {resource: "comment", request: commentRequest{}, required: []string{"body"}},
		"tags.list":                {resource: "tag", list: true},
		"tags.get":                 {resource: "tag"},
		"tags.items":               {resource: "item", list: true},
		"following.get":            {resource: "tag"},
		"users.list":               {resource: "user", list: true},
		"users.get":                {resource: "user"},
		"users.items":              {resource: "item", list: true},
		"users.stocks":             {resource: "item", list: true},
		"users.followingTags":      {resource: "tag", list: true},
		"users.followees":          {resource: "user", list: true},
		"users.followers":          {resource: "user", list: true},
		"templates.list":           {resource: "template", list: true},
		"templates.create":         {"template", templateRequest{}, []string{"name", "title", "body"}, false},
		"templates.get":            {resource: "template"},
		"templates.update":         {resource: "template", request: templatePatch{}},
		"expandedTemplates.create": {"expanded_template", expandRequest{}, []string{"title", "body"}, false},
		"likes.list":               {resource: "like", list: true},
		"taggings.create":          {resource: "tagging", request: Tagging{}, required: []string{"name"}},
		"reactions.list":           {resource: "reaction", list: true},
		"reactions.create":         {resource: "reaction", request: reactionRequest{}, required: []string{"name"}},
		"commentReactions.list":    {resource: "reaction", list: true},
		"commentReactions.create":  {resource: "reaction", request: reactionRequest{}, required: []string{"name"}},
		"groups.list":              {resource: "group", list: true},
		"groups.create":            {"group", groupRequest{}, []string{"url_name", "name"}, false},
		"groups.get":               {resource: "group"},
		"groups.update":            {resource: "group", request: groupPatch{}},
		"groupMembers.list":        {resource: "group_member", list: true},
		"groupMembers.get":         {resource: "group_member"},
		"groupMembers.create":      {resource: "group", request: identitiesRequest{}, required: []string{"identities"}},
		"groupMembers.delete":      {request: identitiesRequest{}, required: []string{"identities"}},
		"teams.list":               {resource: "team", list: true},
		"teamMemberships.list":     {resource: "team_membership", list: true},
	}
}

// describe writes the schema of the whole interface.
func (s *Service) describe() ([]byte, error) {
	definitions, properties := schema{}, schema{}
	links := s.links()
	for _, r := range s.resources() {
		text, err := json.Marshal(r.sample)
		if err != nil {
			return nil, err
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		d := shapeOf("", value)
		d["title"] = r.title
		if list := links[r.name]; list != nil {
			d["links"] = list
		}
		definitions[r.name] = d
		properties[r.name] = schema{"$ref": "#/definitions/" + r.name}
	}
	return json.Marshal(schema{
		"$schema": "http://json-schema.org/draft-04/hyper-schema", "title": "Articles API v2", "type": "object",
		"description": "Markdown articles on a public site and in teams.",
		"definitions": definitions, "properties": properties, "links": links[""],
	})
}

// shapeOf describes a value that an encoder wrote.
func shapeOf(name string, value any) schema {
	switch v := value.(type) {
	case map[string]any:
		properties, required := schema{}, []string{}
		for member, inner := range v {
			properties[member] = shapeOf(member, inner)
			required = append(required, member)
		}
		slices.Sort(required)
		return schema{"type": []string{"object"}, "properties": properties, "required": required}
	case []any:
		items := schema{}
		if len(v) > 0 {
			items = shapeOf("", v[0])
		}
		return schema{"type": []string{"array"}, "items": items}
	case bool:
		return schema{"type": []string{"boolean"}}
	case float64:
		return schema{"type": []string{"integer"}}
	case nil:
		return nullable(name)
	}
	if strings.HasSuffix(name, "_at") {
		return schema{"type": []string{"string"}, "format": "date-time"}
	}
	return schema{"type": []string{"string"}}
}

// nullable describes a member that a sample leaves empty: the group and the
// membership of an item in a team, and otherwise a text.
func nullable(name string) schema {
	switch name {
	case "group":
		return schema{"anyOf": []schema{{"$ref": "#/definitions/group"}, {"type": []string{"null"}}}}
	case "team_membership":
		name := schema{"type": []string{"string"}}
		return schema{"type": []string{"null", "object"}, "properties": schema{"name": name}}
	}
	return schema{"type": []string{"null", "string"}}
}

// links describes every operation, by the resource that it is about.
func (s *Service) links() map[string][]schema {
	out, known := map[string][]schema{}, operations()
	for _, r := range s.routes() {
		o := known[r.Name]
		link := schema{"title": r.Name, "method": r.Method, "href": hrefOf(r), "rel": relOf(r, o)}
		if o.request != nil {
			link["schema"] = requestShape(o)
			link["encType"] = "application/json"
		}
		if o.resource != "" {
			target := schema{"$ref": "#/definitions/" + o.resource}
			if o.list {
				target = schema{"type": []string{"array"}, "items": target}
			}
			link["targetSchema"] = target
		}
		if only := r.Tags[tagEdition]; only != "" {
			link["edition"] = only
		}
		out[o.resource] = append(out[o.resource], link)
	}
	return out
}

func relOf(r route.Route, o operation) string {
	switch {
	case o.list:
		return "instances"
	case r.Method == "POST":
		return "create"
	case r.Method == "PATCH":
		return "update"
	case r.Method == "DELETE":
		return "delete"
	}
	return "self"
}

// hrefOf writes a pattern as the contract does: /items/:item_id.
func hrefOf(r route.Route) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(r.Pattern)
}

// requestShape describes the members that a body is read into.
func requestShape(o operation) schema {
	d := typeShape(reflect.TypeOf(o.request))
	if len(o.required) > 0 {
		d["required"] = o.required
	}
	return d
}

func typeShape(t reflect.Type) schema {
	switch t.Kind() {
	case reflect.Pointer:
		return typeShape(t.Elem())
	case reflect.Slice:
		return schema{"type": []string{"array"}, "items": typeShape(t.Elem())}
	case reflect.Bool:
		return schema{"type": []string{"boolean"}}
	case reflect.Int64:
		return schema{"type": []string{"integer"}}
	case reflect.Struct:
		properties := schema{}
		for n := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(n).Tag.Get("json"), ",")
			properties[name] = typeShape(t.Field(n).Type)
		}
		return schema{"type": []string{"object"}, "properties": properties}
	}
	return schema{"type": []string{"string"}}
}
