package graphqlobjects

import (
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// maxNodes is how many ids one field asks for.
const maxNodes = 100

func queryFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"viewer": func(c *graphql.Call) (any, error) {
			r := requestOf(c)
			u, err := r.graph.Access.Caller(c.Context, r.caller)
			if err != nil {
				return nil, err
			}
			return r.knownUser(u), nil
		},
		"repository": func(c *graphql.Call) (any, error) {
			found, err := requestOf(c).repository(c, c.Text("owner"), c.Text("name"))
			if follow := c.Bool("followRenames"); err == nil && follow != nil && !*follow &&
				!strings.EqualFold(found.FullName(), c.Text("owner")+"/"+c.Text("name")) {
				return nil, missing(refusal.NotFound(), "a Repository with the name '%s/%s'.",
					shown(c.Text("owner")), shown(c.Text("name")))
			}
			return found, err
		},
		"repositoryOwner": func(c *graphql.Call) (any, error) {
			found, err := requestOf(c).account(c, c.Text("login"))
			if errors.As(err, new(*graphql.Error)) || found == nil {
				return nil, nil
			}
			if _, ok := found.(*bot); ok {
				return nil, err
			}
			return found, err
		},
		"user": func(c *graphql.Call) (any, error) {
			found, err := requestOf(c).account(c, c.Text("login"))
			if u, ok := found.(*user); ok || err != nil && !errors.As(err, new(*graphql.Error)) {
				return u, err
			}
			return nil, missing(refusal.NotFound(), "a User with the login of '%s'.", shown(c.Text("login")))
		},
		"organization": func(c *graphql.Call) (any, error) {
			found, err := requestOf(c).account(c, c.Text("login"))
			if o, ok := found.(*organization); ok || err != nil && !errors.As(err, new(*graphql.Error)) {
				return o, err
			}
			return nil, missing(refusal.NotFound(), "an Organization with the login of '%s'.", shown(c.Text("login")))
		},
		"node": func(c *graphql.Call) (any, error) { return requestOf(c).node(c, c.Text("id")) },
		"nodes": func(c *graphql.Call) (any, error) {
			ids := c.Texts("ids")
			if len(ids) > maxNodes {
				return nil, invalid("You may not provide more than %d node ids.", maxNodes)
			}
			out := []any{}
			for _, id := range ids {
				n, err := requestOf(c).node(c, id)
				if err != nil {
					return nil, err
				}
				out = append(out, n)
			}
			return out, nil
		},
		"search":    search,
		"rateLimit": func(c *graphql.Call) (any, error) { return requestOf(c), nil },
	}
}

func rateLimitFields() map[string]graphql.Resolver {
	number := func(value func(c *graphql.Call, r *request) int64) graphql.Resolver {
		return graphql.Of(func(c *graphql.Call, r *request) (any, error) { return value(c, r), nil })
	}
	return map[string]graphql.Resolver{
		"limit":     number(func(_ *graphql.Call, r *request) int64 { return r.budget.Limit }),
		"remaining": number(func(_ *graphql.Call, r *request) int64 { return r.budget.Remaining }),
		"used":      number(func(_ *graphql.Call, r *request) int64 { return min(r.budget.Used, r.budget.Limit) }),
		"cost":      number(func(c *graphql.Call, _ *request) int64 { cost, _ := c.Cost(); return cost }),
		"nodeCount": number(func(c *graphql.Call, _ *request) int64 { _, nodes := c.Cost(); return nodes }),
		"resetAt":   graphql.Of(func(_ *graphql.Call, r *request) (any, error) { return r.budget.Reset, nil }),
	}
}

// shown bounds what an answer repeats of a request.
func shown(text string) string { return wire.Clip(text, 100) }

// repository is a repository by its name, also by a former one.
func (r *request) repository(c *graphql.Call, owner, name string) (*repository, error) {
	if err := c.Spend(storeSteps); err != nil {
		return nil, err
	}
	found, may, _, err := r.graph.Access.Find(c.Context, r.caller, owner, name)
	if err != nil {
		return nil, missing(err, "a Repository with the name '%s/%s'.", shown(owner), shown(name))
	}
	return &repository{Repository: found, request: r, may: &may}, nil
}

// account is a user, an organization or a bot by its name.
func (r *request) account(c *graphql.Call, name string) (any, error) {
	if err := c.Spend(storeSteps); err != nil {
		return nil, err
	}
	found, err := r.graph.Access.Account(c.Context, r.caller, name)
	if err != nil {
		return nil, missing(err, "a User or an Organization with the login of '%s'.", shown(name))
	}
	switch found.Kind {
	case forge.OwnerOrg:
		return &organization{Org: found.Org, request: r}, nil
	case access.App:
		return &bot{login: found.Name(), request: r}, nil
	case forge.OwnerUser:
	}
	return r.knownUser(found.User), nil
}

func (r *request) knownUser(u identity.User) *user {
	r.users[u.ID] = u
	return &user{id: u.ID, login: u.Name, request: r}
}
