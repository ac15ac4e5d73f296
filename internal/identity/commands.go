package identity

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/platform/module"
)

// Commands are the operator's commands about people and credentials. Each
// returns a plain struct; a secret is in it once and nowhere else.
func (i *Identity) Commands() []module.Command {
	return slices.Concat([]module.Command{
		i.userAddCommand(), i.userListCommand(),
		i.orgAddCommand(), i.orgMemberAddCommand(),
		i.teamAddCommand(), i.clientAddCommand(),
		i.tokenIssueCommand(), i.keyIssueCommand(),
	}, i.changeCommands(), i.listCommands(), i.grantCommands())
}

// Made is what a command made: its name and id.
type CreatedName struct {
	Name string `json:"name"`
	ID   int64  `json:"id"`
}

// MadeUser is the answer of "user add". Password is there when it was
// generated.
type CreatedUser struct {
	CreatedName
	Password string `json:"password,omitempty"`
	Admin    bool   `json:"admin"`
}

// ListedUsers is the answer of "user list".
type ListedUsers struct {
	Users []ListedUser `json:"users"`
}

// ListedUser is one line of "user list".
type ListedUser struct {
	CreatedName
	Admin          bool   `json:"admin"`
	Disabled       bool   `json:"disabled"`
	ServiceAccount bool   `json:"service_account"`
	CreatedAt      string `json:"created_at"`
}

func (i *Identity) userAddCommand() module.Command {
	return module.Command{
		Path: "user add", Short: "add a user",
		Long: passwordHelp,
		Args: []module.Arg{{Name: "name", Help: "name to sign in with"}},
		Flags: []module.Flag{
			passwordFlag(), passwordStdinFlag(),
			{Name: "admin", Kind: module.Bool, Help: "make the user an administrator"},
			{Name: "display-name", Help: "name for people"},
			{Name: "email", Help: "mail address"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			made := CreatedUser{Admin: in.Bool("admin")}
			password, printed, err := i.chosenPassword(in)
			if err != nil {
				return nil, err
			}
			made.Password = printed
			u, err := i.AddUser(ctx, NewUser{
				Name: in.Text("name"), DisplayName: in.Text("display-name"), Email: in.Text("email"),
				Password: password, Admin: in.Bool("admin"),
			})
			if err != nil {
				return nil, commandError(err, "")
			}
			made.Name, made.ID = u.Name, u.ID
			return made, nil
		},
	}
}

func (i *Identity) userListCommand() module.Command {
	return module.Command{
		Path: "user list", Short: "list all users",
		Run: func(ctx context.Context, _ *module.Input) (any, error) {
			users, err := i.Users(ctx, 0, 0)
			if err != nil {
				return nil, err
			}
			list := ListedUsers{Users: make([]ListedUser, 0, len(users))}
			for _, u := range users {
				list.Users = append(list.Users, ListedUser{
					CreatedName: CreatedName{u.Name, u.ID}, Admin: u.Admin, Disabled: u.Disabled,
					ServiceAccount: u.ServiceAccount, CreatedAt: u.CreatedAt.Format("2006-01-02T15:04:05Z"),
				})
			}
			return list, nil
		},
	}
}

// userID finds the user an operator named; an empty name is nobody.
func (i *Identity) userID(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	u, err := i.userNamed(ctx, name)
	return u.ID, err
}

func (i *Identity) userNamed(ctx context.Context, name string) (User, error) {
	u, err := i.UserByName(ctx, name)
	return u, commandError(err, "stoa user list shows the users there are")
}

func (i *Identity) orgID(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	o, err := i.orgNamed(ctx, name)
	return o.ID, err
}

func (i *Identity) orgNamed(ctx context.Context, name string) (Org, error) {
	o, err := i.OrgByName(ctx, name)
	return o, commandError(err, "make it with stoa org add "+strconv.Quote(name))
}

func (i *Identity) teamID(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	t, err := i.TeamByName(ctx, name)
	return t.ID, commandError(err, "make it with stoa team add")
}

// membership finds the organization and the user that a command names.
func (i *Identity) membership(ctx context.Context, in *module.Input) (Org, User, error) {
	o, err := i.orgNamed(ctx, in.Text("org"))
	if err != nil {
		return Org{}, User{}, err
	}
	u, err := i.userNamed(ctx, in.Text("user"))
	return o, u, err
}

// commandError tells the operator the cause and, when it helps, the next step.
func commandError(err error, next string) error {
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return module.Fail(module.NotFound, next, "%w", err)
	case errors.Is(err, ErrTaken):
		return module.Fail(module.Conflict, "choose another name", "%w", err)
	case errors.Is(err, ErrInvalid):
		return module.Fail(module.Usage, next, "%w", err)
	}
	return err
}
