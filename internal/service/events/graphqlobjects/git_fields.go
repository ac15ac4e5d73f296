package graphqlobjects

import (
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// ref is a branch or a tag.
type ref struct {
	// name is in full: refs/heads/main.
	name string
	repo *repository
}

// commit is a commit by its name; the rest is looked up when it is asked for.
type commit struct {
	sha    string
	loaded *forge.Commit
	repo   *repository
}

// load reads a commit.
func (m *commit) load(c *graphql.Call) (forge.Commit, error) {
	if m.loaded == nil {
		if err := c.Spend(gitSteps); err != nil {
			return forge.Commit{}, err
		}
		found, err := m.repo.request.graph.Access.Forge.Commit(c.Context, m.repo.Repository, m.sha)
		if err != nil {
			return found, refusal.FromForge(err)
		}
		m.loaded = &found
	}
	return *m.loaded, nil
}

// addGitFields adds what a repository has of git.
func addGitFields(out map[string]graphql.Resolver) {
	out["defaultBranchRef"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		return p.ref(c, "refs/heads/"+p.DefaultBranch)
	})
	out["ref"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		if _, err := p.content(c); err != nil {
			return nil, err
		}
		name := c.Text("qualifiedName")
		if strings.HasPrefix(name, "refs/") {
			return p.ref(c, name)
		}
		if found, err := p.ref(c, "refs/heads/"+name); err != nil || found != nil {
			return found, err
		}
		return p.ref(c, "refs/tags/"+name)
	})
	out["refs"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		if _, err := p.content(c); err != nil {
			return nil, err
		}
		if err := c.Spend(gitSteps); err != nil {
			return nil, err
		}
		all, err := p.request.graph.Access.Forge.NamedRefs(c.Context, p.Repository, c.Text("refPrefix"))
		if err != nil {
			return nil, refusal.FromForge(err)
		}
		list := []any{}
		for _, n := range all {
			if strings.Contains(n.Name, c.Text("query")) {
				list = append(list, &ref{name: n.Name, repo: p})
			}
		}
		return c.PageOf(list)
	})
	out["object"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		if _, err := p.content(c); err != nil {
			return nil, err
		}
		if err := c.Spend(gitSteps); err != nil {
			return nil, err
		}
		found, err := p.request.graph.Access.Forge.Commit(c.Context, p.Repository, c.Text("oid")+c.Text("expression"))
		if errors.Is(err, forge.ErrNotFound) {
			return nil, nil
		}
		return &commit{sha: found.SHA, loaded: &found, repo: p}, refusal.FromForge(err)
	})
	out["primaryLanguage"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		all, err := p.countLanguages(c)
		if err != nil || len(all) == 0 {
			return nil, err
		}
		return all[0], nil
	})
	out["languages"] = graphql.Of(func(c *graphql.Call, p *repository) (any, error) {
		all, err := p.countLanguages(c)
		if err != nil {
			return nil, err
		}
		return c.PageOf(all)
	})
}

// ref is a branch or a tag by its full name, nil when there is none.
func (p *repository) ref(c *graphql.Call, name string) (any, error) {
	if err := c.Spend(storeSteps); err != nil {
		return nil, err
	}
	_, err := p.request.graph.Access.Forge.Head(c.Context, p.Repository, name)
	if errors.Is(err, forge.ErrNotFound) {
		return nil, nil
	}
	return &ref{name: name, repo: p}, err
}

func refFields() map[string]graphql.Resolver {
	of := func(value func(f *ref) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, f *ref) (any, error) { return value(f), nil })
	}
	return map[string]graphql.Resolver{
		"id": graphql.Of(func(c *graphql.Call, f *ref) (any, error) {
			_, err := f.repo.content(c) // it takes the right to read content to ask for the ref by its id
			return objects.NamedNodeID("Ref", f.repo.ID, f.name), err
		}),
		"name":       of(func(f *ref) any { return forge.ShortRef(f.name) }),
		"prefix":     of(func(f *ref) any { return strings.TrimSuffix(f.name, forge.ShortRef(f.name)) }),
		"repository": of(func(f *ref) any { return f.repo }),
		"target": graphql.Of(func(c *graphql.Call, f *ref) (any, error) {
			if _, err := f.repo.content(c); err != nil {
				return nil, err
			}
			m := &commit{sha: f.name, repo: f.repo} // a tag with a text of its own leads to its commit
			found, err := m.load(c)
			m.sha = found.SHA
			return m, err
		}),
		"compare": graphql.Of(func(c *graphql.Call, f *ref) (any, error) {
			if _, err := f.repo.content(c); err != nil {
				return nil, err
			}
			if err := c.Spend(2 * gitSteps); err != nil {
				return nil, err
			}
			_, head, named := strings.Cut(c.Text("headRef"), ":")
			if !named {
				head = c.Text("headRef")
			}
			found, err := f.repo.request.graph.Access.Forge.Compare(c.Context, f.repo.Repository, f.name, head)
			if errors.Is(err, forge.ErrNotFound) {
				return nil, nil
			}
			return found, refusal.FromForge(err)
		}),
	}
}

func comparisonFields() map[string]graphql.Resolver {
	of := func(value func(c forge.Comparison) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, c forge.Comparison) (any, error) { return value(c), nil })
	}
	return map[string]graphql.Resolver{
		"aheadBy":  of(func(c forge.Comparison) any { return c.Ahead }),
		"behindBy": of(func(c forge.Comparison) any { return c.Behind }),
		"status": of(func(c forge.Comparison) any {
			switch {
			case c.Ahead > 0 && c.Behind > 0:
				return "DIVERGED"
			case c.Ahead > 0:
				return "AHEAD"
			case c.Behind > 0:
				return "BEHIND"
			}
			return "IDENTICAL"
		}),
	}
}

func commitFields() map[string]graphql.Resolver {
	of := func(value func(m *commit) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, m *commit) (any, error) { return value(m), nil })
	}
	read := func(value func(m forge.Commit) any) graphql.Resolver {
		return graphql.Of(func(c *graphql.Call, m *commit) (any, error) {
			found, err := m.load(c)
			return value(found), err
		})
	}
	return map[string]graphql.Resolver{
		"id":             of(func(m *commit) any { return objects.NamedNodeID("Commit", m.repo.ID, m.sha) }),
		"oid":            of(func(m *commit) any { return m.sha }),
		"abbreviatedOid": of(func(m *commit) any { return m.sha[:min(len(m.sha), 7)] }),
		"url":            of(func(m *commit) any { return m.repo.page() + "/commit/" + m.sha }),
		"resourcePath":   of(func(m *commit) any { return "/" + m.repo.FullName() + "/commit/" + m.sha }),
		"repository":     of(func(m *commit) any { return m.repo }),
		"message":        read(func(m forge.Commit) any { return strings.TrimSpace(m.Message) }),
		"messageHeadline": read(func(m forge.Commit) any {
			first, _, _ := strings.Cut(m.Message, "\n")
			return first
		}),
		"messageBody": read(func(m forge.Commit) any {
			_, rest, _ := strings.Cut(m.Message, "\n")
			return strings.TrimSpace(rest)
		}),
		"authoredDate":  read(func(m forge.Commit) any { return m.Author.At }),
		"committedDate": read(func(m forge.Commit) any { return m.Committer.At }),
		"author":        read(func(m forge.Commit) any { return m.Author }),
		"committer":     read(func(m forge.Commit) any { return m.Committer }),
		"authors": graphql.Of(func(c *graphql.Call, m *commit) (any, error) {
			found, err := m.load(c)
			if err != nil {
				return nil, err
			}
			return c.PageOf([]any{found.Author})
		}),
	}
}

func gitActorFields() map[string]graphql.Resolver {
	of := func(value func(s forge.Signature) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, s forge.Signature) (any, error) { return value(s), nil })
	}
	return map[string]graphql.Resolver{
		"name":  of(func(s forge.Signature) any { return s.Name }),
		"email": of(func(s forge.Signature) any { return s.Email }),
		"date":  of(func(s forge.Signature) any { return s.At }),
	}
}
