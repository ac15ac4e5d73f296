package commands

import (
	"context"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// createdTeam is the answer of "team add".
type createdTeam struct {
	created
	SSOOnly bool `json:"sso_only"`
}

func (c commands) teamAdd() module.Command {
	return module.Command{
		Path: "team add", Short: "add a team with its owner",
		Args: []module.Arg{{Name: "name", Help: "name; it is the team's host label"}},
		Flags: []module.Flag{
			{Name: "owner", Required: true, Help: "user who owns the team"},
			{Name: "member", Kind: module.Texts, Help: "user who is a plain member"},
			{Name: "sso-only", Kind: module.Bool, Help: "accept team access tokens only"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			n := identity.NewTeam{Name: in.Text("name"), SSOOnly: in.Bool("sso-only")}
			var err error
			if n.OwnerID, err = c.userID(ctx, in.Text("owner")); err != nil {
				return nil, err
			}
			for _, name := range in.Texts("member") {
				id, err := c.userID(ctx, name)
				if err != nil {
					return nil, err
				}
				n.MemberIDs = append(n.MemberIDs, id)
			}
			t, err := c.identity.AddTeam(ctx, n)
			if err != nil {
				return nil, commandError(err, "")
			}
			return createdTeam{created{t.Name, t.ID}, t.SSOOnly}, nil
		},
	}
}
