package graphqlobjects

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// repository is a repository that the caller may see.
type repository struct {
	forge.Repository
	request *request
	// may is what the caller may do with it, nil until it is asked for.
	may *forge.Permission
	// languages are nil until they are asked for.
	languages []any
}

// permission is what the caller may do.
func (p *repository) permission(c *graphql.Call) (forge.Permission, error) {
	if p.may == nil {
		if err := c.Spend(storeSteps); err != nil {
			return forge.None, err
		}
		may, err := p.request.graph.Access.Of(c.Context, p.request.caller, p.Repository)
		if err != nil {
			return may, err
		}
		p.may = &may
	}
	return *p.may, nil
}

// subject is the repository for the packages that decide.
func (p *repository) subject(c *graphql.Call) (operation.Subject, error) {
	may, err := p.permission(c)
	return p.request.graph.Host.SubjectOf(p.request.http, p.Repository, may), err
}

// content is the subject of what takes the right to read content.
func (p *repository) content(c *graphql.Call) (operation.Subject, error) {
	s, err := p.subject(c)
	if err == nil {
		err = s.MayRead(forge.ScopeContentsRead, forge.ScopeContentsWrite)
	}
	return s, err
}

func (p *repository) page() string { return objects.Pages(p.request.base) + "/" + p.FullName() }

// numbers are what is counted about a repository.
func (p *repository) numbers(c *graphql.Call) (forge.Numbers, error) {
	if n, ok := p.request.numbers[p.ID]; ok {
		return n, nil
	}
	if err := c.Spend(4 * storeSteps); err != nil {
		return forge.Numbers{}, err
	}
	all, err := p.request.graph.Access.Forge.NumbersOf(c.Context, []forge.Repository{p.Repository})
	p.request.numbers[p.ID] = all[p.ID]
	return all[p.ID], err
}

// ofRepository is a field that needs nothing but the repository.
func ofRepository(value func(p *repository) any) graphql.Resolver {
	return graphql.Of(func(_ *graphql.Call, p *repository) (any, error) { return value(p), nil })
}

func repositoryFields() map[string]graphql.Resolver {
	out := map[string]graphql.Resolver{
		"id":            ofRepository(func(p *repository) any { return objects.NodeID("Repository", p.ID) }),
		"databaseId":    ofRepository(func(p *repository) any { return p.ID }),
		"name":          ofRepository(func(p *repository) any { return p.Name }),
		"nameWithOwner": ofRepository(func(p *repository) any { return p.FullName() }),
		"owner":         ofRepository(func(p *repository) any { return p.request.owner(p.Owner) }),
		"description":   ofRepository(func(p *repository) any { return orNull(p.Description) }),
		"url":           ofRepository(func(p *repository) any { return p.page() }),
		"resourcePath":  ofRepository(func(p *repository) any { return "/" + p.FullName() }),
		"sshUrl": ofRepository(func(p *repository) any {
			return forge.CloneURL(objects.Pages(p.request.base), p.Repository)
		}),
		"openGraphImageUrl": ofRepository(func(p *repository) any {
			return objects.NewOwner(p.Owner, p.request.base).AvatarURL
		}),
		"createdAt": ofRepository(func(p *repository) any { return p.CreatedAt }),
		"updatedAt": ofRepository(func(p *repository) any { return p.UpdatedAt }),
		"pushedAt": ofRepository(func(p *repository) any {
			if p.PushedAt.IsZero() {
				return nil
			}
			return p.PushedAt
		}),
		"isPrivate":        ofRepository(func(p *repository) any { return p.Private }),
		"isFork":           ofRepository(func(p *repository) any { return p.ParentID != 0 }),
		"isEmpty":          ofRepository(func(p *repository) any { return p.PushedAt.IsZero() }),
		"isInOrganization": ofRepository(func(p *repository) any { return p.Repository.Owner.Kind == forge.OwnerOrg }),
		"visibility": ofRepository(func(p *repository) any {
			return strings.ToUpper(objects.NewRepo(p.Repository, p.request.base).Visibility)
		}),
	}
	addCountedFields(out)
	addViewerFields(out)
	addGitFields(out)
	addDiscussionFields(out)
	addReleaseFields(out)
	return out
}

// addCountedFields adds what is counted, and the repositories around one.
func addCountedFields(out map[string]graphql.Resolver) {
	counted := func(value func(n forge.Numbers) any) graphql.Resolver {
		return graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
			n, err := p.numbers(c)
			return value(n), err
		})
	}
	out["forkCount"] = counted(func(n forge.Numbers) any { return n.Forks })
	out["stargazerCount"] = counted(func(n forge.Numbers) any { return n.Stars })
	out["diskUsage"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		if err := c.Spend(gitSteps); err != nil {
			return nil, err
		}
		size, err := p.request.graph.Access.Forge.Size(p.Repository)
		return size >> 10, err
	})
	out["watchers"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		return c.Page(func(size int, offset int64) ([]any, int64, error) {
			if err := c.Spend(2 * storeSteps); err != nil {
				return nil, 0, err
			}
			ids, total, err := p.request.graph.Access.Forge.Subscribers(c.Context, p.Repository, size, offset)
			if err != nil {
				return nil, 0, err
			}
			users, err := p.request.usersOf(c, ids)
			return users, total, err
		})
	})
	out["parent"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		if p.ParentID == 0 {
			return nil, nil
		}
		if err := c.Spend(storeSteps); err != nil {
			return nil, err
		}
		from, may, ok, err := p.request.graph.Access.Ancestor(c.Context, p.request.caller, p.ParentID)
		if err != nil || !ok {
			return nil, err
		}
		return &repository{Repository: from, request: p.request, may: &may}, nil
	})
	out["forks"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		q := forge.RepositoryQuery{ParentID: p.ID}
		if words := append(c.Texts("affiliations"), c.Texts("ownerAffiliations")...); len(words) > 0 {
			var err error
			if q, err = p.request.affiliated(c, max(access.UserOf(p.request.caller), -1), words); err != nil {
				return nil, err
			}
			q.ParentID = p.ID
		}
		return p.request.repositories(c, q)
	})
}

// usersOf are users in the order of their numbers' list.
func (r *request) usersOf(c *graphql.Call, ids []int64) ([]any, error) {
	if err := c.Spend(storeSteps); err != nil {
		return nil, err
	}
	list, err := r.graph.Access.UsersInOrder(c.Context, ids)
	out := []any{}
	for _, u := range list {
		out = append(out, r.knownUser(u))
	}
	return out, err
}

// addViewerFields adds how the caller stands to a repository.
func addViewerFields(out map[string]graphql.Resolver) {
	out["viewerPermission"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		may, err := p.permission(c)
		return strings.ToUpper(may.String()), err
	})
	out["viewerCanAdminister"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		may, err := p.permission(c)
		return may >= forge.Admin, err
	})
	out["viewerHasStarred"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		user := access.UserOf(p.request.caller)
		if user == 0 {
			return false, nil
		}
		if err := c.Spend(storeSteps); err != nil {
			return nil, err
		}
		return p.request.graph.Access.Forge.Starred(c.Context, p.ID, user)
	})
	out["viewerSubscription"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		user := access.UserOf(p.request.caller)
		if user == 0 {
			return nil, nil
		}
		if err := c.Spend(storeSteps); err != nil {
			return nil, err
		}
		watches, err := p.request.graph.Access.Forge.Watches(c.Context, p.Repository, user)
		if watches {
			return "SUBSCRIBED", err
		}
		return "UNSUBSCRIBED", err
	})
	out["assignableUsers"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		return p.members(c, forge.Write)
	})
	out["mentionableUsers"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		return p.members(c, forge.Read)
	})
}

// members are the users who may do something with the repository. As in REST it takes the
// right to push to see them; others see a user who is the owner.
func (p *repository) members(c *graphql.Call, least forge.Permission) (any, error) {
	may, err := p.permission(c)
	if err != nil {
		return nil, err
	}
	if err := c.Spend(3 * storeSteps); err != nil {
		return nil, err
	}
	var ids []int64
	if may < forge.Write {
		if p.Owner.Kind == forge.OwnerUser {
			ids = append(ids, p.Owner.ID)
		}
	} else {
		list, err := p.request.graph.Access.Forge.Collaborators(c.Context, p.Repository)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			if m.Permission >= least {
				ids = append(ids, m.UserID)
			}
		}
	}
	users, err := p.request.usersOf(c, ids)
	if err != nil {
		return nil, err
	}
	if part := strings.ToLower(c.Text("query")); part != "" {
		users = slices.DeleteFunc(users, func(u any) bool {
			one, ok := u.(*user)
			return !ok || !strings.Contains(strings.ToLower(one.login), part)
		})
	}
	return c.PageOf(users)
}

// addDiscussionFields adds issues, pull requests and labels.
func addDiscussionFields(out map[string]graphql.Resolver) {
	out["issues"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		f := discussions.Filter{Issues: true, States: lower(c.Texts("states")), Labels: c.Texts("labels")}
		by := c.Input("filterBy")
		for _, name := range []string{"mentioned", "milestone"} {
			if by.Text(name) != "" {
				return nil, invalid("Issues cannot be filtered by `%s` here.", name)
			}
		}
		f.Assignee, f.Author = by.Text("assignee"), by.Text("createdBy")
		f.Labels = append(f.Labels, by.Texts("labels")...)
		if by.Has("states") {
			f.States = lower(by.Texts("states"))
		}
		return p.discussions(c, f)
	})
	out["pullRequests"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		return p.discussions(c, discussions.Filter{
			Pulls: true, States: lower(c.Texts("states")), Labels: c.Texts("labels"), Head: c.Text("headRefName"),
			Base: c.Text("baseRefName"),
		})
	})
	out["issue"] = numbered("an Issue with the number of %d.", func(i *issue) bool { return i.Pull == nil })
	out["pullRequest"] = numbered("a PullRequest with the number of %d.", func(i *issue) bool { return i.Pull != nil })
	out["issueOrPullRequest"] = numbered("an issue or pull request with the number of %d.",
		func(*issue) bool { return true })
	out["labels"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		all, err := p.labels(c)
		if err != nil {
			return nil, err
		}
		part := strings.ToLower(c.Text("query"))
		return pageOfLabels(c, p, slices.DeleteFunc(slices.Clone(all), func(l discussions.Label) bool {
			return !strings.Contains(strings.ToLower(l.Name), part)
		}))
	})
	out["label"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		all, err := p.labels(c)
		for _, l := range all {
			if strings.EqualFold(l.Name, c.Text("name")) {
				return &label{l, p}, err
			}
		}
		return nil, err
	})
}

func lower(words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, strings.ToLower(w))
	}
	return out
}

// numbered finds an issue or a pull request by its number, of the right kind.
func numbered(words string, right func(*issue) bool) graphql.Resolver {
	return graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		number, _ := c.Int("number")
		found, err := p.issue(c, number)
		if err == nil && !right(found) {
			err = refusal.NotFound()
		}
		if err != nil {
			return nil, missing(err, words, number)
		}
		return found, nil
	})
}

// issue is an issue or a pull request of the repository.
func (p *repository) issue(c *graphql.Call, number int64) (*issue, error) {
	if err := c.Spend(2 * storeSteps); err != nil {
		return nil, err
	}
	s, err := p.subject(c)
	if err != nil {
		return nil, err
	}
	found, err := p.request.graph.Discussions.Find(c.Context, s, number)
	return &issue{Issue: found, repo: p}, err
}

// discussions is a part of the issues or pull requests that a filter asks for.
func (p *repository) discussions(c *graphql.Call, f discussions.Filter) (any, error) {
	s, err := p.subject(c)
	if err != nil {
		return nil, err
	}
	if order := c.Input("orderBy"); len(order) > 0 {
		f.Sort = map[string]string{"UPDATED_AT": "updated", "COMMENTS": "comments"}[strings.ToUpper(order.Text("field"))]
		f.Ascending = strings.EqualFold(order.Text("direction"), "ASC")
	} else {
		f.Ascending = true
	}
	return c.Page(func(size int, offset int64) ([]any, int64, error) {
		steps := int64(2 * storeSteps)
		if f.Pulls {
			steps += int64(size) * 2 * storeSteps // each is asked where its branches are
		}
		if err := c.Spend(steps); err != nil {
			return nil, 0, err
		}
		list, total, err := p.request.graph.Discussions.List(c.Context, s, f, size, offset)
		out := []any{}
		for _, one := range list {
			out = append(out, &issue{Issue: one, repo: p})
		}
		return out, total, err
	})
}

// labels are all labels of the repository.
func (p *repository) labels(c *graphql.Call) ([]discussions.Label, error) {
	if all, ok := p.request.labels[p.ID]; ok {
		return all, nil
	}
	if err := c.Spend(storeSteps); err != nil {
		return nil, err
	}
	s, err := p.subject(c)
	if err != nil {
		return nil, err
	}
	all, err := p.request.graph.Discussions.LabelsOf(c.Context, s)
	if err == nil {
		p.request.labels[p.ID] = all
	}
	return all, err
}

// language is how many bytes a language has in a repository.
type language struct {
	name string
	size int64
}

func languageFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"name": graphql.Of(func(_ *graphql.Call, l language) (any, error) { return l.name, nil }),
	}
}

func languageEdgeFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"size": graphql.Of(func(_ *graphql.Call, e graphql.Edge) (any, error) {
			l, _ := e.Node.(language) // the connection has no others
			return l.size, nil
		}),
	}
}

// countLanguages are the languages by their bytes, the most first.
func (p *repository) countLanguages(c *graphql.Call) ([]any, error) {
	if _, err := p.content(c); err != nil {
		return nil, err
	}
	if p.languages != nil || p.PushedAt.IsZero() {
		return p.languages, nil
	}
	if err := c.Spend(gitSteps); err != nil {
		return nil, err
	}
	_, list, _, err := p.request.graph.Access.Forge.Tree(c.Context, p.Repository, "refs/heads/"+p.DefaultBranch, true)
	if errors.Is(err, forge.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, refusal.FromForge(err)
	}
	bytes := map[string]int64{}
	for _, e := range list {
		if name := objects.LanguageOf(e.Path); name != "" && e.Type == "blob" {
			bytes[name] += e.Size
		}
	}
	var sorted []language
	for name, size := range bytes {
		sorted = append(sorted, language{name, size})
	}
	slices.SortFunc(sorted, func(a, b language) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	p.languages = []any{}
	for _, l := range sorted {
		p.languages = append(p.languages, l)
	}
	return p.languages, nil
}
