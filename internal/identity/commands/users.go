package commands

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// createdUser is the answer of "user add". Password is there when it was generated.
type createdUser struct {
	created
	Password string `json:"password,omitempty"`
	Admin    bool   `json:"admin"`
}

func (c commands) userAdd() module.Command {
	return module.Command{
		Path: "user add", Begins: true, Short: "add a user",
		Long: passwordHelp,
		Args: []module.Arg{{Name: "name", Help: "name to sign in with"}},
		Flags: []module.Flag{
			passwordFlag(), passwordStdinFlag(),
			{Name: "admin", Kind: module.Bool, Help: "make the user an administrator"},
			{Name: "display-name", Help: "name that pages show"},
			{Name: "email", Help: "mail address"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			password, printed, err := c.readPassword(in)
			if err != nil {
				return nil, err
			}
			u, err := c.identity.AddUser(ctx, identity.NewUser{
				Name: in.Text("name"), DisplayName: in.Text("display-name"), Email: in.Text("email"),
				Password: password, Admin: in.Bool("admin"),
			})
			if err != nil {
				return nil, commandError(err, "")
			}
			return createdUser{created{u.Name, u.ID}, printed, u.Admin}, nil
		},
	}
}

// listedUsers is the answer of "user list".
type listedUsers struct {
	Users []listedUser `json:"users"`
}

type listedUser struct {
	created
	Email          string         `json:"email"`
	Orgs           []listedMember `json:"orgs"`
	Admin          bool           `json:"admin"`
	Disabled       bool           `json:"disabled"`
	ServiceAccount bool           `json:"service_account"`
	CreatedAt      string         `json:"created_at"`
}

// usersAtOnce is how many users' organizations are asked for in one query.
const usersAtOnce = 500

// listUsers are users with their organizations.
func (c commands) listUsers(ctx context.Context, users []identity.User) ([]listedUser, error) {
	list := make([]listedUser, 0, len(users))
	for part := range slices.Chunk(users, usersAtOnce) {
		ids := make([]int64, len(part))
		for n, u := range part {
			ids[n] = u.ID
		}
		memberships, err := c.identity.OrgsOf(ctx, ids...)
		if err != nil {
			return nil, err
		}
		orgs := map[int64][]listedMember{}
		for _, m := range memberships {
			orgs[m.UserID] = append(orgs[m.UserID], listedMember{m.Org.Name, string(m.Role)})
		}
		for _, u := range part {
			list = append(list, listedUser{
				created: created{u.Name, u.ID}, Email: u.Email, Orgs: append([]listedMember{}, orgs[u.ID]...),
				Admin: u.Admin, Disabled: u.Disabled, ServiceAccount: u.ServiceAccount, CreatedAt: formatTime(u.CreatedAt),
			})
		}
	}
	return list, nil
}

// pageFlags are those of a list that goes on after something.
func pageFlags(what string) []module.Flag {
	return []module.Flag{
		{Name: "after", Help: "go on after " + what},
		{Name: "limit", Kind: module.Int, Default: "0", Help: "how many at most; 0 is all"},
	}
}

func (c commands) userList() module.Command {
	return module.Command{
		Path: "user list", Short: "list users in the order of their numbers",
		Flags: pageFlags("the user with this name"),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			after, err := c.userID(ctx, in.Text("after"))
			if err != nil {
				return nil, err
			}
			users, err := c.identity.Users(ctx, after, in.Int("limit"))
			if err != nil {
				return nil, err
			}
			list, err := c.listUsers(ctx, users)
			return listedUsers{Users: list}, err
		},
	}
}

// changedUser is the answer of the commands that change a user. Password is there
// when it was generated.
type changedUser struct {
	created
	Disabled bool   `json:"disabled"`
	Password string `json:"password,omitempty"`
}

func (c commands) userDisable(path, short string, disabled bool) module.Command {
	return module.Command{
		Path: path, Short: short,
		Args: []module.Arg{{Name: "name", Help: "name of the user"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			if err := c.identity.DisableUser(ctx, u.ID, disabled); err != nil {
				return nil, commandError(err, "")
			}
			return changedUser{created: created{u.Name, u.ID}, Disabled: disabled}, nil
		},
	}
}

func (c commands) userPassword() module.Command {
	return module.Command{
		Path: "user password", Short: "give a user a new password and end the user's sessions",
		Long:  passwordHelp,
		Args:  []module.Arg{{Name: "name", Help: "name of the user"}},
		Flags: []module.Flag{passwordFlag(), passwordStdinFlag()},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			password, printed, err := c.readPassword(in)
			if err != nil {
				return nil, err
			}
			if err := c.identity.SetPassword(ctx, u.ID, password); err != nil {
				return nil, commandError(err, "service accounts do not sign in")
			}
			return changedUser{created{u.Name, u.ID}, u.Disabled, printed}, nil
		},
	}
}

const passwordHelp = "Without a password one is generated and printed once. " +
	"Other users of the machine can see what is given with --password; --password-stdin keeps it from them."

func passwordFlag() module.Flag {
	return module.Flag{Name: "password", Help: "password to sign in with"}
}

func passwordStdinFlag() module.Flag {
	return module.Flag{
		Name: "password-stdin", Kind: module.Bool, StdinFor: "password", Help: "read the password from standard input",
	}
}

// readPassword is what the operator gave, or one that is generated, which is
// printed too.
func (c commands) readPassword(in *module.Input) (password, printed string, err error) {
	if in.Bool("password-stdin") {
		return "", "", module.Fail(module.Usage, "send password", "only the command line reads standard input")
	}
	if !in.Has("password") {
		generated := c.identity.NewPassword()
		return generated, generated, nil
	}
	password = in.Text("password")
	return password, "", commandError(c.identity.CheckNewPassword(password), "")
}

// userID finds the user an operator named; an empty name is no user.
func (c commands) userID(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	u, err := c.user(ctx, name)
	return u.ID, err
}

func (c commands) user(ctx context.Context, name string) (identity.User, error) {
	u, err := c.identity.UserByName(ctx, name)
	return u, commandError(err, "stoa user list shows the users there are")
}
