package commands

import (
	"context"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// createdClient is the answer of "client add".
type createdClient struct {
	Name         string              `json:"name"`
	Type         identity.ClientType `json:"type"`
	ClientID     string              `json:"client_id"`
	ClientSecret string              `json:"client_secret"`
}

func (c commands) clientAdd() module.Command {
	return module.Command{
		Path: "client add", Short: "add an application",
		Long: "The secret is printed once. A client of type service is a service account.",
		Args: []module.Arg{{Name: "name", Help: "name that consent pages show"}},
		Flags: []module.Flag{
			{Name: "type", Required: true, OneOf: clientTypes(), Help: "type of application"},
			{Name: "redirect", Kind: module.Texts, Help: "redirect URI, compared exactly: https, or http on loopback"},
			{
				Name: "scope", Kind: module.Texts,
				Help: "what it may ask users for; without it the scopes of the service whose flow it uses",
			},
			{Name: "org", Help: "organization that owns it"},
			{Name: "internal", Kind: module.Bool, Help: "for members of the organization only"},
			{Name: "owner", Help: "user who manages it"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			n := identity.NewClient{
				Name: in.Text("name"), Type: identity.ClientType(in.Text("type")),
				RedirectURIs: in.Texts("redirect"), Scopes: in.Texts("scope"), Internal: in.Bool("internal"),
			}
			var err error
			if n.OrgID, err = c.orgID(ctx, in.Text("org")); err != nil {
				return nil, err
			}
			if n.OwnerID, err = c.userID(ctx, in.Text("owner")); err != nil {
				return nil, err
			}
			client, secret, err := c.identity.AddClient(ctx, n)
			if err != nil {
				return nil, commandError(err, "see stoa client add --help")
			}
			return createdClient{client.Name, client.Type, client.ID, secret}, nil
		},
	}
}

func clientTypes() []string {
	return []string{
		string(identity.ClientWeb), string(identity.ClientDevice), string(identity.ClientService),
		string(identity.ClientApp),
	}
}
