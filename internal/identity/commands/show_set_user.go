package commands

import (
	"context"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// shownUser is the answer of "user show" and "user set".
type shownUser struct {
	listedUser
	DisplayName string   `json:"display_name"`
	Teams       []string `json:"teams"`
	// Links are the accounts at a provider that the user signs in with.
	Links []linkedAccount `json:"links"`
}

// showUser describes a user with the organizations and teams it belongs to.
func (c commands) showUser(ctx context.Context, u identity.User) (shownUser, error) {
	listed, err := c.listUsers(ctx, []identity.User{u})
	if err != nil {
		return shownUser{}, err
	}
	shown := shownUser{
		listedUser: listed[0], DisplayName: u.DisplayName, Teams: []string{}, Links: []linkedAccount{},
	}
	links, err := c.identity.ExternalUsers(ctx, u.ID)
	if err != nil {
		return shownUser{}, err
	}
	for _, l := range links {
		shown.Links = append(shown.Links, linkedAccount{l.Issuer, l.Subject})
	}
	teams, err := c.identity.TeamsOf(ctx, u.ID)
	for _, t := range teams {
		shown.Teams = append(shown.Teams, t.Name)
	}
	return shown, err
}

func userArg() []module.Arg { return []module.Arg{{Name: "name", Help: "name of the user"}} }

func (c commands) userShow() module.Command {
	return module.Command{
		Path: "user show", Short: "show a user", Args: userArg(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			return c.showUser(ctx, u)
		},
	}
}

func (c commands) userSet() module.Command {
	return module.Command{
		Path: "user set", Short: "change a user", Args: userArg(), Changes: true,
		Long: "What is not named stays as it is.",
		Flags: []module.Flag{
			{Name: "display-name", Help: "name that pages show"},
			{Name: "email", Help: "mail address"},
			{Name: "admin", OneOf: []string{"yes", "no"}, Help: "whether the user is an administrator"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			u, err = c.identity.UpdateUser(ctx, u.ID, identity.UserChange{
				DisplayName: given(in, "display-name"), Email: given(in, "email"), Admin: givenBool(in, "admin"),
			})
			if err != nil {
				return nil, commandError(err, "")
			}
			return c.showUser(ctx, u)
		},
	}
}
