package identity

import (
	"context"

	"stoa.dev/stoa/internal/platform/module"
)

// ChangedUser is the answer of the commands that change a user. Password is
// there when it was generated.
type ChangedUser struct {
	CreatedName
	Disabled bool   `json:"disabled"`
	Password string `json:"password,omitempty"`
}

// ApprovedClient is the answer of "org approve".
type ApprovedClient struct {
	Org      string `json:"org"`
	Client   string `json:"client_id"`
	Approved bool   `json:"approved"`
}

// RemovedMember is the answer of "org member remove".
type RemovedMember struct {
	Org     string `json:"org"`
	Name    string `json:"name"`
	Removed bool   `json:"removed"`
}

// changeCommands are for people who leave, come back or forget.
func (i *Identity) changeCommands() []module.Command {
	return []module.Command{
		i.disableCommand("user disable", "shut a user out: nothing that is theirs works, from the next request on", true),
		i.disableCommand("user enable", "let a disabled user in again", false),
		i.passwordCommand(), i.orgMemberRemoveCommand(), i.orgApproveCommand(),
	}
}

func (i *Identity) disableCommand(path, short string, disabled bool) module.Command {
	return module.Command{
		Path: path, Short: short,
		Args: []module.Arg{{Name: "name", Help: "name of the user"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := i.userNamed(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			if err := i.DisableUser(ctx, u.ID, disabled); err != nil {
				return nil, commandError(err, "")
			}
			return ChangedUser{CreatedName: CreatedName{u.Name, u.ID}, Disabled: disabled}, nil
		},
	}
}

func (i *Identity) passwordCommand() module.Command {
	return module.Command{
		Path: "user password", Short: "give a user a new password and end the user's sessions",
		Long:  passwordHelp,
		Args:  []module.Arg{{Name: "name", Help: "name of the user"}},
		Flags: []module.Flag{passwordFlag(), passwordStdinFlag()},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := i.userNamed(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			changed := ChangedUser{CreatedName: CreatedName{u.Name, u.ID}, Disabled: u.Disabled}
			password, printed, err := i.chosenPassword(in)
			if err != nil {
				return nil, err
			}
			changed.Password = printed
			if err := i.SetPassword(ctx, u.ID, password); err != nil {
				return nil, commandError(err, "service accounts do not sign in")
			}
			return changed, nil
		},
	}
}

func (i *Identity) orgMemberRemoveCommand() module.Command {
	return module.Command{
		Path: "org member remove", Short: "take a user out of an organization",
		Args: []module.Arg{{Name: "org", Help: "organization"}, {Name: "user", Help: "user to take out"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			org, user, err := i.membership(ctx, in)
			if err != nil {
				return nil, err
			}
			if err := i.RemoveOrgMember(ctx, org.ID, user.ID); err != nil {
				return nil, commandError(err, "")
			}
			return RemovedMember{org.Name, user.Name, true}, nil
		},
	}
}

func (i *Identity) orgApproveCommand() module.Command {
	return module.Command{
		Path: "org approve", Short: "count an application as the organization's own for its members",
		Args:  []module.Arg{{Name: "org", Help: "name of the organization"}, {Name: "client", Help: "client id of the application"}},
		Flags: []module.Flag{{Name: "withdraw", Kind: module.Bool, Help: "count it so no longer"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			org, err := i.orgNamed(ctx, in.Text("org"))
			if err != nil {
				return nil, err
			}
			client, approve := in.Text("client"), !in.Bool("withdraw")
			if err := i.ApproveClient(ctx, org.ID, client, approve); err != nil {
				return nil, commandError(err, "stoa client add prints the id of a new one")
			}
			return ApprovedClient{org.Name, client, approve}, nil
		},
	}
}
