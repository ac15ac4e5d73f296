package graphqlobjects

import (
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/objects"
)

// user is a user by number and name; the rest is looked up when it is asked for.
type user struct {
	id      int64
	login   string
	request *request
}

type organization struct {
	identity.Org
	request *request
}

// bot is an application that acts for itself, or a token of one repository.
type bot struct {
	login   string
	request *request
}

// actor is who did something.
func (r *request) actor(a forge.Actor) any {
	if a.ID == 0 {
		return &bot{login: a.Name, request: r}
	}
	return &user{id: a.ID, login: a.Name, request: r}
}

// optionalActor is who did something, if it was done.
func (r *request) optionalActor(a *forge.Actor) any {
	if a == nil {
		return nil
	}
	return r.actor(*a)
}

// owner is whom a repository belongs to.
func (r *request) owner(o forge.Owner) any {
	if o.Kind == forge.OwnerOrg {
		return &organization{Org: identity.Org{ID: o.ID, Name: o.Name}, request: r}
	}
	return &user{id: o.ID, login: o.Name, request: r}
}

// full is the account of a user; one that is gone is empty.
func (u *user) full(c *graphql.Call) (identity.User, error) {
	if _, err := u.request.userByID(c, u.id); errors.Is(err, identity.ErrNotFound) {
		u.request.users[u.id] = identity.User{ID: u.id, Name: u.login}
	} else if err != nil {
		return identity.User{}, err
	}
	return u.request.users[u.id], nil
}

// named is what all accounts show.
type named interface {
	account() (kind, login string, id int64, r *request)
}

func (u *user) account() (kind, login string, id int64, r *request) {
	return "User", u.login, u.id, u.request
}

func (o *organization) account() (kind, login string, id int64, r *request) {
	return "Organization", o.Name, o.ID, o.request
}

func (b *bot) account() (kind, login string, id int64, r *request) {
	return "Bot", b.login, 0, b.request
}

// accountFields answer about any account.
func accountFields() map[string]graphql.Resolver {
	of := func(value func(kind, login string, id int64, r *request) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, n named) (any, error) { return value(n.account()), nil })
	}
	return map[string]graphql.Resolver{
		"id": of(func(kind, login string, id int64, _ *request) any {
			return objects.AccountNodeID(kind, id, login)
		}),
		"databaseId":   of(func(_, _ string, id int64, _ *request) any { return id }),
		"login":        of(func(_, login string, _ int64, _ *request) any { return login }),
		"resourcePath": of(func(_, login string, _ int64, _ *request) any { return "/" + login }),
		"url":          of(func(_, login string, _ int64, r *request) any { return objects.Pages(r.base) + "/" + login }),
		"avatarUrl":    of(func(kind, _ string, id int64, r *request) any { return objects.Avatar(r.base, kind, id) }),
	}
}

func botFields() map[string]graphql.Resolver { return accountFields() }

func userFields() map[string]graphql.Resolver {
	full := func(value func(u identity.User, r *request) any) graphql.Resolver {
		return graphql.Of(func(c *graphql.Call, u *user) (any, error) {
			found, err := u.full(c)
			return value(found, u.request), err
		})
	}
	out := accountFields()
	out["name"] = full(func(u identity.User, _ *request) any { return orNull(u.DisplayName) })
	out["createdAt"] = full(func(u identity.User, _ *request) any { return u.CreatedAt })
	out["email"] = full(func(u identity.User, r *request) any {
		if access.UserOf(r.caller) == u.ID {
			return u.Email
		}
		return "" // as in REST: an address is shown to its owner
	})
	out["isViewer"] = graphql.Of(func(_ *graphql.Call, u *user) (any, error) {
		return access.UserOf(u.request.caller) == u.id, nil
	})
	out["organizations"] = graphql.Of(func(c *graphql.Call, u *user) (any, error) {
		if err := c.Spend(storeSteps); err != nil {
			return nil, err
		}
		list, err := u.request.graph.Access.SharedOrgs(c.Context, u.request.caller, u.id)
		if err != nil {
			return nil, err
		}
		all := []any{}
		for _, o := range list {
			all = append(all, &organization{Org: o, request: u.request})
		}
		return c.PageOf(all)
	})
	addOwnerFields(out)
	return out
}

func organizationFields() map[string]graphql.Resolver {
	out := accountFields()
	out["name"] = graphql.Of(func(_ *graphql.Call, o *organization) (any, error) { return o.Name, nil })
	out["createdAt"] = graphql.Of(func(c *graphql.Call, o *organization) (any, error) {
		if !o.CreatedAt.IsZero() {
			return o.CreatedAt, nil
		}
		if err := c.Spend(storeSteps); err != nil {
			return nil, err
		}
		found, err := o.request.graph.Access.Identity.Org(c.Context, o.ID)
		return found.CreatedAt, err
	})
	addOwnerFields(out)
	return out
}

// addOwnerFields adds what those have who can own repositories.
func addOwnerFields(out map[string]graphql.Resolver) {
	out["repository"] = graphql.Of(func(c *graphql.Call, n named) (any, error) {
		_, login, _, r := n.account()
		return r.repository(c, login, c.Text("name"))
	})
	out["repositories"] = graphql.Of(func(c *graphql.Call, n named) (any, error) {
		kind, login, id, r := n.account()
		q := forge.RepositoryQuery{Owner: login}
		words := append(c.Texts("affiliations"), c.Texts("ownerAffiliations")...)
		if kind == "User" && slices.ContainsFunc(words, func(w string) bool { return !strings.EqualFold(w, "OWNER") }) {
			var err error
			if q, err = r.affiliated(c, id, words); err != nil {
				return nil, err
			}
		}
		return r.repositories(c, q)
	})
}

// affiliated asks for what a user owns or belongs to. Organizations are those of the caller alone.
func (r *request) affiliated(c *graphql.Call, userID int64, words []string) (q forge.RepositoryQuery, err error) {
	for _, w := range words {
		switch strings.ToUpper(w) {
		case "OWNER":
			q.OwnedBy = userID
		case "COLLABORATOR":
			q.MemberIs = userID
		case "ORGANIZATION_MEMBER":
			list, err := r.graph.Access.SharedOrgs(c.Context, r.caller, userID)
			if err != nil {
				return q, err
			}
			for _, o := range list {
				q.OwnerOrgs = append(q.OwnerOrgs, o.ID)
			}
		}
	}
	if q.OwnedBy == 0 && q.MemberIs == 0 && len(q.OwnerOrgs) == 0 {
		q.OwnedBy = -1 // in no organization: nothing, not everything
	}
	return q, nil
}

// repositories is a part of the repositories of a query that the caller may see.
func (r *request) repositories(c *graphql.Call, q forge.RepositoryQuery) (any, error) {
	viewer, err := r.graph.Access.Viewer(c.Context, r.caller)
	if err != nil {
		return nil, err
	}
	q.Viewer, q.Fork, q.Order = viewer, c.Bool("isFork"), forge.ByCreated
	if c.Has("privacy") {
		private := strings.EqualFold(c.Text("privacy"), "PRIVATE")
		q.Private = &private
	}
	if order := c.Input("orderBy"); len(order) > 0 {
		q.Order = map[string]forge.RepositoryOrder{
			"CREATED_AT": forge.ByCreated, "UPDATED_AT": forge.ByUpdated, "PUSHED_AT": forge.ByPushed,
			"NAME": forge.ByName, "STARGAZERS": forge.ByStars,
		}[strings.ToUpper(order.Text("field"))]
		q.Descending = strings.EqualFold(order.Text("direction"), "DESC")
	}
	return c.Page(func(size int, offset int64) ([]any, int64, error) {
		if err := c.Spend(2 * storeSteps); err != nil {
			return nil, 0, err
		}
		q.Limit, q.Offset = size, offset
		list, total, err := r.graph.Access.Forge.List(c.Context, q)
		out := []any{}
		for _, one := range list {
			out = append(out, &repository{Repository: one, request: r})
		}
		return out, total, err
	})
}
