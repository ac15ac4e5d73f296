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
		i.forbidCommand(),
	}
}

// ForbiddenScope is the answer of "org forbid".
type ForbiddenScope struct {
	Org       string `json:"org"`
	Scope     string `json:"scope"`
	Forbidden bool   `json:"forbidden"`
}

// forbidCommand is an organization's policy about what its members hand out.
func (i *Identity) forbidCommand() module.Command {
	return module.Command{
		Path: "org forbid", Short: "keep members of an organization from granting a scope to applications",
		Args: []module.Arg{
			{Name: "org", Help: "name of the organization"},
			{Name: "scope", Help: "scope, short or in full"},
		},
		Flags: []module.Flag{{Name: "allow", Kind: module.Bool, Help: "let them again"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			o, err := i.orgNamed(ctx, in.Text("org"))
			if err != nil {
				return nil, err
			}
			forbid := !in.Bool("allow")
			if err := i.ForbidScope(ctx, o.ID, in.Text("scope"), forbid); err != nil {
				return nil, commandError(err, "scopes are listed in the discovery document")
			}
			return ForbiddenScope{Org: o.Name, Scope: in.Text("scope"), Forbidden: forbid}, nil
		},
	}
}

func (i *Identity) decideCommand(path, short string, yes bool) module.Command {
	return module.Command{
		Path: path, Short: short,
		Args:  []module.Arg{{Name: "user_code", Help: "code that the device shows, letter case matters"}},
		Flags: []module.Flag{{Name: "user", Required: true, Help: "name of the user who decides"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := i.userNamed(ctx, in.Text("user"))
			if err != nil {
				return nil, err
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
