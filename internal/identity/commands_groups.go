package identity

import (
	"context"

	"stoa.dev/stoa/internal/platform/module"
)

// MadeOrg is the answer of "org add".
type CreatedOrg struct {
	CreatedName
	Enterprise bool `json:"enterprise"`
}

// MadeMember is the answer of "org member add".
type AddedMember struct {
	Org  string  `json:"org"`
	Name string  `json:"name"`
	ID   int64   `json:"id"`
	Role OrgRole `json:"role"`
}

// MadeTeam is the answer of "team add".
type CreatedTeam struct {
	CreatedName
	SSOOnly bool `json:"sso_only"`
}

func (i *Identity) orgAddCommand() module.Command {
	return module.Command{
		Path: "org add", Short: "add an organization",
		Args:  []module.Arg{{Name: "name", Help: "name, as it stands in paths"}},
		Flags: []module.Flag{{Name: "enterprise", Kind: module.Bool, Help: "give it the enterprise plan"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			o, err := i.AddOrg(ctx, in.Text("name"), in.Bool("enterprise"))
			if err != nil {
				return nil, commandError(err, "")
			}
			return CreatedOrg{CreatedName{o.Name, o.ID}, o.Enterprise}, nil
		},
	}
}

func (i *Identity) orgMemberAddCommand() module.Command {
	return module.Command{
		Path: "org member add", Short: "add a user to an organization",
		Args: []module.Arg{{Name: "org", Help: "organization"}, {Name: "user", Help: "user to add"}},
		Flags: []module.Flag{
			{Name: "role", Default: string(OrgMember), OneOf: []string{string(OrgOwner), string(OrgMember)}, Help: "what the user may do there"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			org, user, err := i.membership(ctx, in)
			if err != nil {
				return nil, err
			}
			role := OrgRole(in.Text("role"))
			if role == "" {
				role = OrgMember
			}
			if err := i.SetOrgMember(ctx, org.ID, user.ID, role); err != nil {
				return nil, commandError(err, "")
			}
			return AddedMember{org.Name, user.Name, user.ID, role}, nil
		},
	}
}

func (i *Identity) teamAddCommand() module.Command {
	return module.Command{
		Path: "team add", Short: "add a team with its owner",
		Args: []module.Arg{{Name: "name", Help: "name; it is the team's host label"}},
		Flags: []module.Flag{
			{Name: "owner", Required: true, Help: "user who owns the team"},
			{Name: "member", Kind: module.Texts, Help: "user who is a plain member"},
			{Name: "sso-only", Kind: module.Bool, Help: "let team access tokens in only"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			n := NewTeam{Name: in.Text("name"), SSOOnly: in.Bool("sso-only")}
			var err error
			if n.OwnerID, err = i.userID(ctx, in.Text("owner")); err != nil {
				return nil, err
			}
			for _, name := range in.Texts("member") {
				id, err := i.userID(ctx, name)
				if err != nil {
					return nil, err
				}
				n.MemberIDs = append(n.MemberIDs, id)
			}
			t, err := i.AddTeam(ctx, n)
			if err != nil {
				return nil, commandError(err, "")
			}
			return CreatedTeam{CreatedName{t.Name, t.ID}, t.SSOOnly}, nil
		},
	}
}
