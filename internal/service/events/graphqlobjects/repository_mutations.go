package graphqlobjects

import (
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/refusal"
)

func createRepository(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	if err := absent(in, map[string]string{"homepageUrl": "home pages"}); err != nil {
		return nil, err
	}
	if on := in.Bool("hasIssuesEnabled"); on != nil && !*on {
		return nil, invalid("`hasIssuesEnabled` cannot be false: every repository has issues here.")
	}
	visibility := strings.ToUpper(in.Text("visibility"))
	if visibility == "INTERNAL" {
		return nil, invalid("`visibility` must be PUBLIC or PRIVATE here.")
	}
	org := ""
	if id := in.Text("ownerId"); id != "" {
		owner, err := r.node(c, id)
		if err != nil {
			return nil, err
		}
		switch o := owner.(type) {
		case *organization:
			org = o.Name
		case *user:
			if o.id != access.UserOf(r.caller) {
				return nil, refusal.Forbidden("You cannot make repositories for another user.")
			}
		default:
			return nil, missing(refusal.NotFound(), "a node with the global id of '%s'.", shown(id))
		}
	}
	made, err := r.graph.Access.Create(c.Context, r.caller, org, forge.NewRepository{
		Name: in.Text("name"), Description: in.Text("description"), Private: visibility == "PRIVATE",
	})
	if err != nil {
		return nil, err
	}
	may := forge.Admin // of those who made it
	return payload{"repository": &repository{Repository: made, request: r, may: &may}}, nil
}

// star adds or takes away the caller's star.
func star(add bool) func(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
	return func(c *graphql.Call, r *request, in graphql.Input) (payload, error) {
		p, err := r.repositoryOf(c, in.Text("starrableId"))
		if err != nil {
			return nil, err
		}
		s, err := p.subject(c)
		if err != nil {
			return nil, err
		}
		if err := s.MayChange(forge.Read, forge.ScopeStarring); err != nil {
			return nil, err
		}
		if access.UserOf(r.caller) == 0 {
			return nil, refusal.UserOnly(forge.ScopeStarring)
		}
		if add {
			err = r.graph.Access.Forge.Star(c.Context, p.ID, s.Actor)
		} else {
			err = r.graph.Access.Forge.Unstar(c.Context, p.ID, s.Actor.ID)
		}
		delete(r.numbers, p.ID)
		return payload{"starrable": p}, refusal.FromForge(err)
	}
}
