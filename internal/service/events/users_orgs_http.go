package events

import (
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/objects"
)

func (s *Service) userRoutes() []route.Route {
	const user, org = "/users/{username}", "/orgs/{org}"
	return []route.Route{
		s.reads("/user", "get_authenticated_user", route.Optional, s.handleOwnUser),
		s.reads("/user/orgs", "list_own_orgs", route.Optional, s.handleOwnOrgs),
		s.reads(user, "get_user", route.Optional, s.handleUser),
		s.reads(user+"/orgs", "list_user_orgs", route.Optional, s.handleUserOrgs),
		s.reads(user+"/followers", "list_followers", route.Optional, s.handleNoneOfUser),
		s.reads(user+"/following", "list_following", route.Optional, s.handleNoneOfUser),
		s.reads(user+"/gists", "list_gists", route.Optional, s.handleNoneOfUser),
		s.reads(org, "get_org", route.Optional, s.handleOrg),
		s.reads(org+"/members", "list_org_members", route.Optional, s.handleOrgMembers),
		s.reads(org+"/members/{username}", "check_org_member", route.Optional, s.handleOrgMember),
		s.reads(org+"/public_members", "list_public_members", route.Optional, s.handleNoneOfOrg),
		s.reads(org+"/issues", "list_org_issues", route.Optional, s.handleNoneOfOrg),
	}
}

// publicRepos is how many public repositories an owner has.
func (s *Service) publicRepos(r *route.Request, owner string) (int64, error) {
	_, total, err := s.forge.List(r.Context(), forge.RepositoryQuery{Owner: owner})
	return total, err
}

func (s *Service) handleUser(r *route.Request) (reply, error) {
	found, err := s.access.Account(r.Context(), identity.From(r), r.PathValue("username"))
	if err != nil {
		return reply{}, err
	}
	repos, err := s.publicRepos(r, found.Name())
	return reply{body: accountToWire(found, s.base(r), repos)}, err
}

func (s *Service) handleOwnUser(r *route.Request) (reply, error) {
	c := identity.From(r)
	user, err := s.access.Caller(r.Context(), c)
	if err != nil {
		return reply{}, err
	}
	public, err := s.publicRepos(r, user.Name)
	if err != nil {
		return reply{}, err
	}
	out := objects.OwnUser{FullUser: accountToWire(access.Account{Kind: forge.OwnerUser, User: user}, s.base(r), public)}
	out.Email = objects.OrNull(user.Email)
	viewer, err := s.access.Viewer(r.Context(), c)
	if err != nil {
		return reply{}, err
	}
	hidden := true
	query := forge.RepositoryQuery{Viewer: viewer, OwnedBy: user.ID, Private: &hidden}
	if _, out.OwnedPrivateRepos, err = s.forge.List(r.Context(), query); err != nil {
		return reply{}, err
	}
	query.MemberIs, query.OwnerOrgs = user.ID, viewer.OrgIDs
	_, out.TotalPrivateRepos, err = s.forge.List(r.Context(), query)
	return reply{body: out}, err
}

// orgsReply is one page of organizations.
func (s *Service) orgsReply(r *route.Request, list []identity.Org) reply {
	at := listPage(r)
	out := []objects.Org{}
	for _, o := range cut(list, at) {
		out = append(out, objects.NewOrg(o, s.base(r)))
	}
	return s.listReply(r, out, at, int64(len(list)))
}

func (s *Service) handleOwnOrgs(r *route.Request) (reply, error) {
	c := identity.From(r)
	user, err := s.access.Caller(r.Context(), c)
	if err != nil {
		return reply{}, err
	}
	list, err := s.access.SharedOrgs(r.Context(), c, user.ID)
	return s.orgsReply(r, list), err
}

func (s *Service) handleUserOrgs(r *route.Request) (reply, error) {
	c := identity.From(r)
	found, err := s.access.Account(r.Context(), c, r.PathValue("username"))
	if err != nil || found.Kind != forge.OwnerUser {
		return s.orgsReply(r, nil), err
	}
	list, err := s.access.SharedOrgs(r.Context(), c, found.ID())
	return s.orgsReply(r, list), err
}

// handleNoneOfUser is for lists of what users do not have here: there are no
// followers and no gists.
func (s *Service) handleNoneOfUser(r *route.Request) (reply, error) {
	_, err := s.access.Account(r.Context(), identity.From(r), r.PathValue("username"))
	return s.listReply(r, []struct{}{}, listPage(r), 0), err
}

// pathOrg is the organization of a path.
func (s *Service) pathOrg(r *route.Request) (identity.Org, error) {
	org, err := s.identity.OrgByName(r.Context(), r.PathValue("org"))
	if errors.Is(err, identity.ErrNotFound) {
		return org, errNotFound()
	}
	return org, err
}

func (s *Service) handleNoneOfOrg(r *route.Request) (reply, error) {
	_, err := s.pathOrg(r)
	return s.listReply(r, []struct{}{}, listPage(r), 0), err
}

func (s *Service) handleOrg(r *route.Request) (reply, error) {
	org, err := s.pathOrg(r)
	if err != nil {
		return reply{}, err
	}
	out := objects.FullOrg{
		Org: objects.NewOrg(org, s.base(r)), Name: objects.OrNull(org.Name),
		HTMLURL:   objects.Pages(s.base(r)) + "/" + org.Name,
		CreatedAt: objects.Stamp(org.CreatedAt), UpdatedAt: objects.Stamp(org.CreatedAt), Type: "Organization",
	}
	out.PublicRepos, err = s.publicRepos(r, org.Name)
	return reply{body: out}, err
}

func (s *Service) handleOrgMembers(r *route.Request) (reply, error) {
	org, err := s.pathOrg(r)
	if err != nil {
		return reply{}, err
	}
	members, err := s.access.OrgMembers(r.Context(), identity.From(r), org.ID)
	at := listPage(r)
	out := []objects.User{}
	for _, m := range cut(members, at) {
		out = append(out, objects.NewUser(m.UserID, m.UserName, "User", s.base(r)))
	}
	return s.listReply(r, out, at, int64(len(members))), err
}

// handleOrgMember is 204 for members who ask about members.
func (s *Service) handleOrgMember(r *route.Request) (reply, error) {
	org, err := s.pathOrg(r)
	if err != nil {
		return reply{}, err
	}
	members, err := s.access.OrgMembers(r.Context(), identity.From(r), org.ID)
	if err != nil {
		return reply{}, err
	}
	for _, m := range members {
		if strings.EqualFold(m.UserName, r.PathValue("username")) {
			return reply{empty: true}, nil
		}
	}
	return reply{}, errNotFound()
}

func accountToWire(a access.Account, base string, repos int64) objects.FullUser {
	word, created := "User", a.User.CreatedAt
	switch a.Kind {
	case forge.OwnerOrg:
		word, created = "Organization", a.Org.CreatedAt
	case access.App:
		word = "Bot"
	case forge.OwnerUser:
	}
	out := objects.FullUser{
		User: objects.NewUser(a.ID(), a.Name(), word, base), PublicRepos: repos,
		CreatedAt: objects.Stamp(created), UpdatedAt: objects.Stamp(created),
	}
	out.Name = objects.OrNull(a.User.DisplayName)
	return out
}
