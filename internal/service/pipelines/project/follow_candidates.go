package project

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
)

// Candidate is a repository that a user could follow.
type Candidate struct {
	Repo      forge.Repository
	Admin     bool
	Following bool
}

// Candidates lists the repositories of a user and of the user's organizations.
func (p *Projects) Candidates(ctx context.Context, c *identity.Caller) ([]Candidate, error) {
	owners := []string{c.UserName}
	orgs, err := p.identity.OrgsOf(ctx, c.UserID)
	if err != nil {
		return nil, err
	}
	for _, m := range orgs {
		owners = append(owners, m.Org.Name)
	}
	var list []Candidate
	for _, owner := range owners {
		repos, err := p.forge.Repositories(ctx, owner)
		if err != nil {
			return nil, err
		}
		for _, repo := range repos {
			have, err := p.rightOf(ctx, c, repo)
			if err != nil {
				return nil, err
			}
			if have < RightRead {
				continue
			}
			following, err := isFollowed(ctx, p.world.DB, c.UserID, repo.ID)
			if err != nil {
				return nil, err
			}
			list = append(list, Candidate{repo, have >= RightAdmin, following})
		}
	}
	return list, nil
}
