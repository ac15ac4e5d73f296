package identity

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/module"
)

// DecidedGrant is the answer of "grant approve" and "grant deny".
type DecidedGrant struct {
	ID     int64    `json:"id"`
	State  string   `json:"state"`
	Client string   `json:"client_id,omitempty"`
	Scopes []string `json:"scopes"`
	User   string   `json:"user"`
}

// grantCommands decide device flows from scripts, as the page does for people.
func (i *Identity) grantCommands() []module.Command {
	return []module.Command{
		i.decideCommand("grant approve", "allow the device that shows a user code", true),
		i.decideCommand("grant deny", "refuse the device that shows a user code", false),
	}
}

func (i *Identity) decideCommand(path, short string, yes bool) module.Command {
	return module.Command{
		Path: path, Short: short,
		Args:  []module.Arg{{Name: "user_code", Help: "code that the device shows, letter case matters"}},
		Flags: []module.Flag{{Name: "user", Required: true, Help: "name of the user who decides"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := i.UserByName(ctx, in.Text("user"))
			if err != nil {
				return nil, commandError(err, "see stoa user list")
			}
			g, err := i.GrantByUserCode(ctx, in.Text("user_code"))
			if err == nil {
				g, err = i.Decide(ctx, g.ID, u.ID, yes)
			}
			if err != nil {
				return nil, grantFailure(err)
			}
			return DecidedGrant{ID: g.ID, State: string(g.State), Client: g.ClientID, Scopes: g.Scopes, User: u.Name}, nil
		},
	}
}

// grantFailure says what is wrong with a typed code.
func grantFailure(err error) error {
	switch {
	case errors.Is(err, ErrGrantUnknown):
		return module.Fail(module.NotFound, "type it as the device shows it, capital letters and hyphen included", "no device shows this code")
	case errors.Is(err, ErrGrantExpired):
		return module.Fail(module.Conflict, "start again on the device", "the code has expired")
	case errors.Is(err, ErrGrantClaimed), errors.Is(err, ErrGrantDenied), errors.Is(err, ErrGrantPolicy), errors.Is(err, ErrGrantInternal):
		return module.Fail(module.Conflict, "start again on the device", "the code has been used already")
	}
	return err
}
