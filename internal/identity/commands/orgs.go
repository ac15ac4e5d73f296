package commands

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// createdOrg is the answer of "org add".
type createdOrg struct {
	created
	Enterprise bool `json:"enterprise"`
}

func (c commands) orgAdd() module.Command {
	return module.Command{
		Path: "org add", Short: "add an organization",
		Args:  []module.Arg{{Name: "name", Help: "name, as it stands in paths"}},
		Flags: []module.Flag{{Name: "enterprise", Kind: module.Bool, Help: "give it the enterprise plan"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			o, err := c.identity.AddOrg(ctx, in.Text("name"), in.Bool("enterprise"))
			if err != nil {
				return nil, commandError(err, "")
			}
			return createdOrg{created{o.Name, o.ID}, o.Enterprise}, nil
		},
	}
}

// addedMember is the answer of "org member add".
type addedMember struct {
	Org  string           `json:"org"`
	Name string           `json:"name"`
	ID   int64            `json:"id"`
	Role identity.OrgRole `json:"role"`
}

func (c commands) orgMemberAdd() module.Command {
	return module.Command{
		Path: "org member add", Short: "add a user to an organization",
		Args: []module.Arg{{Name: "org", Help: "organization"}, {Name: "user", Help: "user to add"}},
		Flags: []module.Flag{{
			Name: "role", Default: string(identity.OrgMember),
			OneOf: []string{string(identity.OrgOwner), string(identity.OrgMember)}, Help: "what the user may do there",
		}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			org, user, err := c.membership(ctx, in)
			if err != nil {
				return nil, err
			}
			role := identity.OrgRole(in.Text("role"))
			if role == "" {
				role = identity.OrgMember
			}
			if err := c.identity.SetOrgMember(ctx, org.ID, user.ID, role); err != nil {
				return nil, commandError(err, "")
			}
			return addedMember{org.Name, user.Name, user.ID, role}, nil
		},
	}
}

// removedMember is the answer of "org member remove".
type removedMember struct {
	Org     string `json:"org"`
	Name    string `json:"name"`
	Removed bool   `json:"removed"`
}

func (c commands) orgMemberRemove() module.Command {
	return module.Command{
		Path: "org member remove", Short: "remove a user from an organization",
		Args: []module.Arg{{Name: "org", Help: "organization"}, {Name: "user", Help: "user to remove"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			org, user, err := c.membership(ctx, in)
			if err != nil {
				return nil, err
			}
			if err := c.identity.RemoveOrgMember(ctx, org.ID, user.ID); err != nil {
				return nil, commandError(err, "")
			}
			return removedMember{org.Name, user.Name, true}, nil
		},
	}
}

// membership finds the organization and the user that a command names.
func (c commands) membership(ctx context.Context, in *module.Input) (identity.Org, identity.User, error) {
	o, err := c.org(ctx, in.Text("org"))
	if err != nil {
		return identity.Org{}, identity.User{}, err
	}
	u, err := c.user(ctx, in.Text("user"))
	return o, u, err
}

// approvedClient is the answer of "org approve".
type approvedClient struct {
	Org      string `json:"org"`
	Client   string `json:"client_id"`
	Approved bool   `json:"approved"`
}

func (c commands) orgApprove() module.Command {
	return module.Command{
		Path: "org approve", Short: "count an application as the organization's own for its members",
		Args: []module.Arg{
			{Name: "org", Help: "name of the organization"},
			{Name: "client", Help: "client id of the application"},
		},
		Flags: []module.Flag{{Name: "withdraw", Kind: module.Bool, Help: "withdraw the approval"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			org, err := c.org(ctx, in.Text("org"))
			if err != nil {
				return nil, err
			}
			client, approve := in.Text("client"), !in.Bool("withdraw")
			if err := c.identity.ApproveClient(ctx, org.ID, client, approve); err != nil {
				return nil, commandError(err, "stoa client add prints the id of a new one")
			}
			return approvedClient{org.Name, client, approve}, nil
		},
	}
}

// forbiddenScope is the answer of "org forbid".
type forbiddenScope struct {
	Org       string `json:"org"`
	Scope     string `json:"scope"`
	Forbidden bool   `json:"forbidden"`
}

func (c commands) orgForbid() module.Command {
	return module.Command{
		Path: "org forbid", Short: "keep members of an organization from granting a scope to applications",
		Args: []module.Arg{
			{Name: "org", Help: "name of the organization"},
			{Name: "scope", Help: "scope, short or in full"},
		},
		Flags: []module.Flag{{Name: "allow", Kind: module.Bool, Help: "allow it again"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			o, err := c.org(ctx, in.Text("org"))
			if err != nil {
				return nil, err
			}
			forbid := !in.Bool("allow")
			if err := c.grants.ForbidScope(ctx, o.ID, in.Text("scope"), forbid); err != nil {
				return nil, commandError(err, "scopes are listed in the discovery document")
			}
			return forbiddenScope{Org: o.Name, Scope: in.Text("scope"), Forbidden: forbid}, nil
		},
	}
}

// listedOrgs is the answer of "org list".
type listedOrgs struct {
	Orgs []createdOrg `json:"orgs"`
}

func (c commands) orgList() module.Command {
	return module.Command{
		Path: "org list", Short: "list organizations in the order of their names",
		Flags: pageFlags("the organization with this name"),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			orgs, err := c.identity.Orgs(ctx, in.Text("after"), in.Int("limit"))
			list := listedOrgs{Orgs: []createdOrg{}}
			for _, o := range orgs {
				list.Orgs = append(list.Orgs, createdOrg{created{o.Name, o.ID}, o.Enterprise})
			}
			return list, err
		},
	}
}

// shownOrg is the answer of "org show" and "org set".
type shownOrg struct {
	createdOrg
	Forbidden    []string       `json:"forbidden"` // scopes
	Approved     []string       `json:"approved"`  // ids of clients
	Members      []listedMember `json:"members"`
	Applications []ownedClient  `json:"applications"`
}

// listedMember is a user with a role.
type listedMember struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// ownedClient is an application of an organization.
type ownedClient struct {
	Name     string              `json:"name"`
	Type     identity.ClientType `json:"type"`
	ClientID string              `json:"client_id"`
}

// showOrg describes an organization with its members, its applications and its rules about applications.
func (c commands) showOrg(ctx context.Context, o identity.Org) (shownOrg, error) {
	policy, err := c.grants.OrgPolicy(ctx, o.ID)
	if err != nil {
		return shownOrg{}, err
	}
	shown := shownOrg{
		createdOrg: createdOrg{created{o.Name, o.ID}, o.Enterprise}, Members: []listedMember{},
		Applications: []ownedClient{},
		Forbidden:    append([]string{}, policy.Forbidden...), Approved: append([]string{}, policy.Approved...),
	}
	members, err := c.identity.OrgMembers(ctx, o.ID)
	for _, m := range members {
		shown.Members = append(shown.Members, listedMember{m.UserName, string(m.Role)})
	}
	if err != nil {
		return shown, err
	}
	clients, err := c.identity.ClientsOfOrg(ctx, o.ID)
	for _, client := range clients {
		shown.Applications = append(shown.Applications, ownedClient{client.Name, client.Type, client.ID})
	}
	return shown, err
}

func orgArg() []module.Arg { return []module.Arg{{Name: "org", Help: "name of the organization"}} }

func (c commands) orgShow() module.Command {
	return module.Command{
		Path: "org show", Short: "show an organization with its members, its applications and its rules about others",
		Args: orgArg(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			o, err := c.org(ctx, in.Text("org"))
			if err != nil {
				return nil, err
			}
			return c.showOrg(ctx, o)
		},
	}
}

func (c commands) orgSet() module.Command {
	return module.Command{
		Path: "org set", Short: "change the plan of an organization", Args: orgArg(),
		Flags: []module.Flag{
			{Name: "enterprise", Required: true, OneOf: []string{"yes", "no"}, Help: "whether it has the enterprise plan"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			o, err := c.org(ctx, in.Text("org"))
			if err != nil {
				return nil, err
			}
			o.Enterprise = in.Text("enterprise") == "yes"
			if err := c.identity.SetOrgEnterprise(ctx, o.ID, o.Enterprise); err != nil {
				return nil, commandError(err, "")
			}
			return c.showOrg(ctx, o)
		},
	}
}

func (c commands) orgID(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	o, err := c.org(ctx, name)
	return o.ID, err
}

func (c commands) org(ctx context.Context, name string) (identity.Org, error) {
	o, err := c.identity.OrgByName(ctx, name)
	return o, commandError(err, "make it with stoa org add "+strconv.Quote(name))
}
