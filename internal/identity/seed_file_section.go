package identity

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/seed"
)

// maxSeedList bounds what is read of one list for a written seed file.
const maxSeedList = 100_000

type seedUser struct {
	Name        string `json:"name" doc:"The name to sign in with."`
	DisplayName string `json:"displayName,omitempty" doc:"The name that pages show."`
	Email       string `json:"email,omitempty" doc:"A mail address."`
	Password    string `json:"password,omitempty" doc:"Without one, the user cannot sign in with a password."`
	Admin       bool   `json:"admin,omitempty" doc:"Whether the user administers the server."`

	Tokens []seedToken `json:"tokens,omitempty" doc:"Personal tokens that are issued for the user."`
}

type seedToken struct {
	Variable string   `json:"variable" doc:"The variable that the secret is given in."`
	Services []string `json:"services,omitempty" doc:"The services it is good for; none means all."`
	Scopes   []string `json:"scopes,omitempty" doc:"What it allows; none means everything that can be granted."`
}

type seedMember struct {
	User string `json:"user" doc:"The name of a user."`
	Role string `json:"role,omitempty" doc:"The role; member when left out."`
}

type seedOrg struct {
	Name       string       `json:"name" doc:"The name, which is free among users and organizations."`
	Enterprise bool         `json:"enterprise,omitempty" doc:"Whether it has the enterprise plan."`
	Members    []seedMember `json:"members,omitempty" doc:"Its members: owner or member."`
}

type seedTeam struct {
	Name    string       `json:"name" doc:"The host label of the team."`
	Title   string       `json:"title,omitempty" doc:"The name that pages show."`
	Owner   string       `json:"owner" doc:"The user who owns it."`
	SSOOnly bool         `json:"ssoOnly,omitempty" doc:"Whether only team access tokens reach it."`
	Members []seedMember `json:"members,omitempty" doc:"Its other members: owner, admin or member."`
}

type seedClient struct {
	Name         string   `json:"name" doc:"The name that consent pages show."`
	Type         string   `json:"type" enum:"web,device,service,app" doc:"The sort of application."`
	Owner        string   `json:"owner" doc:"The user who registered it."`
	Organization string   `json:"organization,omitempty" doc:"The organization it belongs to."`
	Internal     bool     `json:"internal,omitempty" doc:"Whether only members of the organization may use it."`
	RedirectURIs []string `json:"redirectUris,omitempty" doc:"Where browsers are sent back to."`
	Scopes       []string `json:"scopes,omitempty" doc:"All that it may ask for."`
	Variable     string   `json:"variable,omitempty" doc:"Identifier and secret are given in NAME_ID and NAME_SECRET."`
}

// Seeds are the sections of a seed file that hold users, groups and applications. A
// written file has no passwords, tokens and secrets: only their hashes are kept.
func (i *Identity) Seeds() []seed.Section {
	return []seed.Section{
		seed.NewSection("users", "Users", i.seedUser, i.writeUsers),
		seed.NewSection("organizations", "Organizations", i.seedOrg, i.writeOrgs),
		seed.NewSection("teams", "Teams", i.seedTeam, i.writeTeams),
		seed.NewSection("clients", "OAuth applications", i.seedClient, i.writeClients),
	}
}

func (i *Identity) seedUser(ctx context.Context, r *seed.Run, u seedUser) error {
	user, err := i.AddUser(ctx, NewUser{
		Name: u.Name, DisplayName: u.DisplayName, Email: u.Email, Password: u.Password, Admin: u.Admin,
	})
	if err != nil {
		return err
	}
	for n, t := range u.Tokens {
		if err := i.seedToken(ctx, r, user, t); err != nil {
			return seed.At(err, "tokens", n)
		}
	}
	return nil
}

func (i *Identity) seedToken(ctx context.Context, r *seed.Run, user User, t seedToken) (err error) {
	if len(t.Services) == 0 {
		for _, service := range i.Services() {
			if !i.OperatorOnly(service) {
				t.Services = append(t.Services, service)
			}
		}
	}
	if len(t.Scopes) == 0 {
		for _, service := range t.Services {
			for _, s := range i.GrantableScopes(service) {
				t.Scopes = append(t.Scopes, s.Name)
			}
		}
	}
	_, secret, err := i.IssueToken(ctx, IssueOptions{
		Kind: KindPersonal, Services: t.Services, Scopes: t.Scopes, UserID: user.ID, Note: "seed file",
	})
	if err != nil {
		return err
	}
	return r.Set(t.Variable, secret)
}

func (i *Identity) writeUsers(ctx context.Context) ([]seedUser, error) {
	list, err := i.Users(ctx, 0, maxSeedList)
	var out []seedUser
	for _, u := range list {
		if !u.ServiceAccount && !u.Disabled {
			out = append(out, seedUser{Name: u.Name, DisplayName: u.DisplayName, Email: u.Email, Admin: u.Admin})
		}
	}
	return out, err
}

func (i *Identity) seedOrg(ctx context.Context, _ *seed.Run, o seedOrg) error {
	org, err := i.AddOrg(ctx, o.Name, o.Enterprise)
	if err != nil {
		return err
	}
	for n, m := range o.Members {
		user, err := i.UserByName(ctx, m.User)
		if err != nil {
			return seed.At(err, "members", n, "user")
		}
		role := OrgMember
		if m.Role != "" {
			role = OrgRole(m.Role)
		}
		if err := i.SetOrgMember(ctx, org.ID, user.ID, role); err != nil {
			return seed.At(err, "members", n, "role")
		}
	}
	return nil
}

func (i *Identity) writeOrgs(ctx context.Context) ([]seedOrg, error) {
	list, err := i.Orgs(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	var out []seedOrg
	for _, o := range list {
		org := seedOrg{Name: o.Name, Enterprise: o.Enterprise}
		members, err := i.OrgMembers(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			org.Members = append(org.Members, seedMember{User: m.UserName, Role: string(m.Role)})
		}
		out = append(out, org)
	}
	return out, nil
}

func (i *Identity) seedTeam(ctx context.Context, _ *seed.Run, t seedTeam) error {
	owner, err := i.UserByName(ctx, t.Owner)
	if err != nil {
		return seed.At(err, "owner")
	}
	team, err := i.AddTeam(ctx, NewTeam{Name: t.Name, Title: t.Title, OwnerID: owner.ID, SSOOnly: t.SSOOnly})
	if err != nil {
		return err
	}
	for n, m := range t.Members {
		user, err := i.UserByName(ctx, m.User)
		if err != nil {
			return seed.At(err, "members", n, "user")
		}
		role := TeamMember
		if m.Role != "" {
			role = TeamRole(m.Role)
		}
		if err := i.SetTeamMember(ctx, team.ID, user.ID, role); err != nil {
			return seed.At(err, "members", n, "role")
		}
	}
	return nil
}

func (i *Identity) writeTeams(ctx context.Context) ([]seedTeam, error) {
	list, err := i.Teams(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	var out []seedTeam
	for _, t := range list {
		team := seedTeam{Name: t.Name, Title: t.Title, SSOOnly: t.SSOOnly}
		members, _, err := i.TeamMembers(ctx, t.ID, 0, maxSeedList)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			if m.Role == TeamOwner && team.Owner == "" {
				team.Owner = m.User.Name
				continue
			}
			team.Members = append(team.Members, seedMember{User: m.User.Name, Role: string(m.Role)})
		}
		out = append(out, team)
	}
	return out, nil
}

func (i *Identity) seedClient(ctx context.Context, r *seed.Run, c seedClient) error {
	owner, err := i.UserByName(ctx, c.Owner)
	if err != nil {
		return seed.At(err, "owner")
	}
	n := NewClient{
		Name: c.Name, Type: ClientType(c.Type), RedirectURIs: c.RedirectURIs, Scopes: c.Scopes,
		Internal: c.Internal, OwnerID: owner.ID,
	}
	if c.Organization != "" {
		org, err := i.OrgByName(ctx, c.Organization)
		if err != nil {
			return seed.At(err, "organization")
		}
		n.OrgID = org.ID
	}
	client, secret, err := i.AddClient(ctx, n)
	if err != nil || c.Variable == "" {
		return err
	}
	return errors.Join(r.Set(c.Variable+"_ID", client.ID), r.Set(c.Variable+"_SECRET", secret))
}

func (i *Identity) writeClients(ctx context.Context) ([]seedClient, error) {
	users, err := i.Users(ctx, 0, maxSeedList)
	if err != nil {
		return nil, err
	}
	var out []seedClient
	for _, u := range users {
		clients, err := i.Clients(ctx, u.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range clients {
			client := seedClient{
				Name: c.Name, Type: string(c.Type), Owner: u.Name, Internal: c.Internal,
				RedirectURIs: c.RedirectURIs, Scopes: c.Scopes,
			}
			if c.OrgID != 0 {
				org, err := i.Org(ctx, c.OrgID)
				if err != nil {
					return nil, err
				}
				client.Organization = org.Name
			}
			out = append(out, client)
		}
	}
	return out, nil
}
