package commands

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/module"
)

// linkedAccount is an account at a provider that a user signs in with.
type linkedAccount struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

func (c commands) userLink() module.Command {
	return module.Command{
		Path: "user link", Short: "let a user sign in with an account at the provider", Args: userArg(),
		Long: "The first sign-in of an account at identity.oidc.issuer makes a new user, also where a name or a " +
			"mail address is that of a user of this server. This makes the account an existing user's instead.",
		Flags: []module.Flag{
			{Name: "subject", Required: true, Help: "the account's id at the provider: sub in its id tokens"},
			{Name: "issuer", Help: "address of the provider (default: identity.oidc.issuer)"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			issuer := in.Text("issuer")
			if p := c.identity.SignInProvider(); issuer == "" && p != nil {
				issuer = p.Issuer()
			}
			if issuer == "" {
				return nil, module.Fail(module.Usage, "set identity.oidc.issuer or name one with --issuer",
					"%w", errors.New("there is no provider"))
			}
			if err := c.identity.LinkExternal(ctx, u.ID, issuer, in.Text("subject")); err != nil {
				return nil, commandError(err, "")
			}
			return c.showUser(ctx, u)
		},
	}
}

func (c commands) userUnlink() module.Command {
	return module.Command{
		Path: "user unlink", Short: "end a user's sign-ins at the provider", Args: userArg(),
		Long: "Memberships that groups of the provider gave end too. Sessions and tokens go on: stoa user disable ends them.",
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			if err := c.identity.UnlinkExternal(ctx, u.ID); err != nil {
				return nil, commandError(err, "stoa user show lists the accounts that are linked")
			}
			if u, err = c.user(ctx, u.Name); err != nil {
				return nil, err
			}
			return c.showUser(ctx, u)
		},
	}
}
