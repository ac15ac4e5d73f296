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

// listedTeam is a team without its members.
type listedTeam struct {
	createdTeam
	Title  string `json:"title"`
	Active bool   `json:"active"`
}

func toListedTeam(t identity.Team) listedTeam {
	return listedTeam{createdTeam{created{t.Name, t.ID}, t.SSOOnly}, t.Title, t.Active}
}

// listedTeams is the answer of "team list".
type listedTeams struct {
	Teams []listedTeam `json:"teams"`
}

func (c commands) teamList() module.Command {
	return module.Command{
		Path: "team list", Short: "list teams in the order of their names",
		Flags: pageFlags("the team with this name"),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			teams, err := c.identity.Teams(ctx, in.Text("after"), in.Int("limit"))
			list := listedTeams{Teams: []listedTeam{}}
			for _, t := range teams {
				list.Teams = append(list.Teams, toListedTeam(t))
			}
			return list, err
		},
	}
}

// shownTeam is the answer of "team show" and "team set".
type shownTeam struct {
	listedTeam
	Members []listedMember `json:"members"`
}

// showTeam describes a team with its members.
func (c commands) showTeam(ctx context.Context, t identity.Team) (shownTeam, error) {
	members, _, err := c.identity.TeamMembers(ctx, t.ID, 0, 0)
	shown := shownTeam{toListedTeam(t), []listedMember{}}
	for _, m := range members {
		shown.Members = append(shown.Members, listedMember{m.User.Name, string(m.Role)})
	}
	return shown, err
}

func (c commands) team(ctx context.Context, in *module.Input) (identity.Team, error) {
	t, err := c.identity.TeamByName(ctx, in.Text("team"))
	return t, commandError(err, "stoa team list shows the teams there are")
}

func teamArg() module.Arg { return module.Arg{Name: "team", Help: "name of the team"} }

func (c commands) teamShow() module.Command {
	return module.Command{
		Path: "team show", Short: "show a team with its members", Args: []module.Arg{teamArg()},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			t, err := c.team(ctx, in)
			if err != nil {
				return nil, err
			}
			return c.showTeam(ctx, t)
		},
	}
}

func (c commands) teamSet() module.Command {
	return module.Command{
		Path: "team set", Short: "change a team", Args: []module.Arg{teamArg()}, Changes: true,
		Long: "What is not named stays as it is.",
		Flags: []module.Flag{
			{Name: "title", Help: "name that pages show"},
			{Name: "sso-only", OneOf: []string{"yes", "no"}, Help: "whether it accepts team access tokens only"},
			{Name: "active", OneOf: []string{"yes", "no"}, Help: "whether its members may use it"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			t, err := c.team(ctx, in)
			if err != nil {
				return nil, err
			}
			t, err = c.identity.UpdateTeam(ctx, t.ID, identity.TeamChange{
				Title: given(in, "title"), SSOOnly: givenBool(in, "sso-only"), Active: givenBool(in, "active"),
			})
			if err != nil {
				return nil, commandError(err, "")
			}
			return c.showTeam(ctx, t)
		},
	}
}

// teamMemberArgs name a team and one of its users.
func teamMemberArgs() []module.Arg {
	return []module.Arg{teamArg(), {Name: "user", Help: "name of the user"}}
}

func (c commands) teamMemberAdd() module.Command {
	roles := []string{string(identity.TeamOwner), string(identity.TeamAdmin), string(identity.TeamMember)}
	return module.Command{
		Path: "team member add", Short: "add a user to a team, or change the user's role", Args: teamMemberArgs(),
		Flags: []module.Flag{
			{Name: "role", Default: string(identity.TeamMember), OneOf: roles, Help: "what the user may do there"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			return c.changeMember(ctx, in, func(team, user int64) error {
				role := identity.TeamRole(in.Text("role"))
				if role == "" {
					role = identity.TeamMember
				}
				return c.identity.SetTeamMember(ctx, team, user, role)
			})
		},
	}
}

func (c commands) teamMemberRemove() module.Command {
	return module.Command{
		Path: "team member remove", Short: "remove a user from a team, with the user's tokens for it",
		Args: teamMemberArgs(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			return c.changeMember(ctx, in, func(team, user int64) error {
				return c.identity.RemoveTeamMember(ctx, team, user)
			})
		},
	}
}

// changeMember changes one membership and shows the team.
func (c commands) changeMember(
	ctx context.Context, in *module.Input, change func(team, user int64) error,
) (shownTeam, error) {
	t, err := c.team(ctx, in)
	if err != nil {
		return shownTeam{}, err
	}
	u, err := c.user(ctx, in.Text("user"))
	if err != nil {
		return shownTeam{}, err
	}
	err = change(t.ID, u.ID)
	if err != nil {
		return shownTeam{}, commandError(err, "")
	}
	return c.showTeam(ctx, t)
}

func (c commands) teamID(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	t, err := c.identity.TeamByName(ctx, name)
	return t.ID, commandError(err, "make it with stoa team add")
}
