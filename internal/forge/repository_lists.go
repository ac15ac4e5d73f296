package forge

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/identity"
)

// Viewer is who looks at lists: the repositories that are visible besides the
// public ones. The zero Viewer sees what is public.
type Viewer struct {
	// UserID sees what that user owns or is a member of.
	UserID int64
	// OrgIDs are organizations of which everything is visible.
	OrgIDs []int64
	// RepositoryID is the one repository of a token.
	RepositoryID int64
	// Installed sees what an app is installed on; of that LimitedToken, unless it is
	// zero, what the token is for.
	Installed    *Installation
	LimitedToken int64
}

// Viewer is the caller of a request as one who looks at lists, see Access.
func (f *Forge) Viewer(ctx context.Context, c *identity.Caller) (Viewer, error) {
	if c == nil {
		return Viewer{}, nil
	}
	switch c.Kind {
	case identity.KindWorkflow, identity.KindProject:
		own, err := f.BoundTo(ctx, c)
		if err != nil {
			return Viewer{}, ignoreMissing(err)
		}
		return Viewer{RepositoryID: own.ID}, nil
	case identity.KindInstallation:
		return f.installedView(ctx, c)
	case identity.KindAccess, identity.KindPersonal:
		orgs, err := f.identity.OrgsOf(ctx, c.UserID)
		v := Viewer{UserID: c.UserID}
		for _, m := range orgs {
			v.OrgIDs = append(v.OrgIDs, m.Org.ID)
		}
		return v, err
	case identity.KindClient, identity.KindApp, identity.KindRefresh, identity.KindAPI, identity.KindApplication:
	}
	return Viewer{}, nil
}

// ignoreMissing is for tokens whose repository is gone: they see what is public.
func ignoreMissing(err error) error {
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) {
		return nil
	}
	return err
}

// RepositoryOrder is what a list is sorted by.
type RepositoryOrder string

// The orders of lists.
const (
	ByName    RepositoryOrder = "full_name"
	ByCreated RepositoryOrder = "created"
	ByUpdated RepositoryOrder = "updated"
	ByPushed  RepositoryOrder = "pushed"
	// ByStarred is for RepositoryQuery.StarredBy only.
	ByStarred RepositoryOrder = "starred"
	ByStars   RepositoryOrder = "stargazers"
)

// RepositoryQuery asks for repositories. The members that are set must all hold.
type RepositoryQuery struct {
	Viewer Viewer
	// Owner is a user's or an organization's name.
	Owner string
	// ParentID is what forks were made of.
	ParentID int64
	// StarredBy and WatchedBy are users.
	StarredBy, WatchedBy int64
	// OwnedBy, MemberIs and OwnerOrgs are joined by or: what a user owns, is a
	// member of, and what belongs to the organizations.
	OwnedBy, MemberIs int64
	OwnerOrgs         []int64
	// InstalledOnly asks for what an app is installed on, for any viewer.
	InstalledOnly *Installation
	// Private and Fork, when set, ask for those that are or are not.
	Private, Fork *bool

	Order      RepositoryOrder
	Descending bool
	Limit      int
	Offset     int64
}

// List is one page of the visible repositories, and how many there are.
func (f *Forge) List(ctx context.Context, q RepositoryQuery) (list []Repository, total int64, err error) {
	if total, err = countMatching(ctx, f.world.DB, q); err != nil || total <= q.Offset || q.Limit == 0 {
		return nil, total, err
	}
	list, err = listMatching(ctx, f.world.DB, q)
	return list, total, err
}

// Numbers are what is counted about a repository.
type Numbers struct{ Stars, Forks, Network, Subscribers int64 }

// NumbersOf counts for several repositories at once.
func (f *Forge) NumbersOf(ctx context.Context, list []Repository) (map[int64]Numbers, error) {
	out := make(map[int64]Numbers, len(list))
	ids := make([]int64, 0, len(list))
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	for _, count := range []struct {
		statement func(string) string
		add       func(*Numbers, int64)
	}{
		{starsPerRepository, func(n *Numbers, v int64) { n.Stars = v }},
		{forksPerRepository, func(n *Numbers, v int64) { n.Forks = v }},
		{networkPerRepository, func(n *Numbers, v int64) { n.Network = v }},
		{subscribersPerRepository, func(n *Numbers, v int64) { n.Subscribers = v }},
	} {
		counted, err := countPer(ctx, f.world.DB, count.statement, ids)
		if err != nil {
			return nil, err
		}
		for id, value := range counted {
			n := out[id]
			count.add(&n, value)
			out[id] = n
		}
	}
	return out, nil
}

// HasPublicPart reports whether a user shows in public repositories: owns one, is a
// member of one or starred one.
func (f *Forge) HasPublicPart(ctx context.Context, userID int64) (bool, error) {
	return hasPublicPart(ctx, f.world.DB, userID)
}
