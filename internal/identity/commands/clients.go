package commands

import (
	"context"
	"errors"

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
		Long: "The secret is printed once. A client of type service is a service account, and one of type web needs a " +
			"redirect URI.",
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
				next := "see stoa client add --help"
				if n.Type == identity.ClientWeb && len(n.RedirectURIs) == 0 {
					next = "name the address that users come back to, as in --redirect https://app.example/callback"
				}
				return nil, commandError(err, next)
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

// listedClient is an application without its secret.
type listedClient struct {
	ClientID  string              `json:"client_id"`
	Name      string              `json:"name"`
	Type      identity.ClientType `json:"type"`
	Org       string              `json:"org,omitempty"`   // organization that owns it
	Owner     string              `json:"owner,omitempty"` // user who manages it
	Redirects []string            `json:"redirects"`
	Scopes    []string            `json:"scopes"`
	Internal  bool                `json:"internal"`
	CreatedAt string              `json:"created_at"`
}

// listClients describes applications; whose they are is looked up once for each owner.
func (c commands) listClients(ctx context.Context, clients []identity.Client) ([]listedClient, error) {
	list := []listedClient{}
	orgs, owners := map[int64]string{0: ""}, map[int64]string{0: ""}
	for _, client := range clients {
		if _, known := orgs[client.OrgID]; !known {
			o, err := c.identity.Org(ctx, client.OrgID)
			if err != nil {
				return nil, err
			}
			orgs[client.OrgID] = o.Name
		}
		if _, known := owners[client.OwnerID]; !known {
			u, err := c.identity.User(ctx, client.OwnerID)
			if err != nil {
				return nil, err
			}
			owners[client.OwnerID] = u.Name
		}
		list = append(list, listedClient{
			client.ID, client.Name, client.Type, orgs[client.OrgID], owners[client.OwnerID],
			append([]string{}, client.RedirectURIs...), append([]string{}, client.Scopes...), client.Internal,
			formatTime(client.CreatedAt),
		})
	}
	return list, nil
}

// listClient describes one application.
func (c commands) listClient(ctx context.Context, client identity.Client) (any, error) {
	list, err := c.listClients(ctx, []identity.Client{client})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// client finds the application that a command names by its id, or by a name that only one has.
func (c commands) client(ctx context.Context, in *module.Input) (identity.Client, error) {
	client, err := c.identity.Client(ctx, in.Text("client"))
	if !errors.Is(err, identity.ErrNotFound) {
		return client, err
	}
	named, failed := c.identity.ClientsNamed(ctx, in.Text("client"))
	switch {
	case failed != nil:
		return client, failed
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return client, module.Fail(module.Conflict, seeClients, "%d applications have the name %q", len(named), named[0].Name)
	}
	return client, commandError(err, seeClients)
}

// listedClients is the answer of "client list".
type listedClients struct {
	Clients []listedClient `json:"clients"`
}

func (c commands) clientList() module.Command {
	return module.Command{
		Path: "client list", Short: "list the applications, the oldest first",
		Long: "With --limit they come in the order of their ids, so that a page takes as long in a list of a million.",
		Flags: append(pageFlags("the application with this client id"),
			module.Flag{Name: "owner", Help: "only those that this user manages"}),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			owner, err := c.userID(ctx, in.Text("owner"))
			if err != nil {
				return nil, err
			}
			clients, err := c.clientPage(ctx, in, owner)
			if err != nil {
				return nil, err
			}
			list, err := c.listClients(ctx, clients)
			return listedClients{list}, err
		},
	}
}

// clientPage is one page of the applications, or all of them.
func (c commands) clientPage(ctx context.Context, in *module.Input, owner int64) ([]identity.Client, error) {
	if n := in.Int("limit"); n > 0 || in.Has("after") {
		return c.identity.ClientsAfter(ctx, owner, in.Text("after"), n)
	}
	return c.identity.Clients(ctx, owner)
}

// clientIDArg names the application of a command.
func clientIDArg() []module.Arg {
	return []module.Arg{{Name: "client", Help: "client id, as client list prints it, or a name that only one has"}}
}

const seeClients = "stoa client list shows the ids"

func (c commands) clientShow() module.Command {
	return module.Command{
		Path: "client show", Short: "show an application", Args: clientIDArg(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			client, err := c.client(ctx, in)
			if err != nil {
				return nil, err
			}
			return c.listClient(ctx, client)
		},
	}
}

func (c commands) clientSet() module.Command {
	return module.Command{
		Path: "client set", Short: "change an application", Args: clientIDArg(), Changes: true,
		Long: "What is not named stays as it is. A list replaces the one before; an empty value empties it.",
		Flags: []module.Flag{
			{Name: "name", Help: "name that consent pages show"},
			{Name: "redirect", Kind: module.Texts, Help: "redirect URI; all that shall hold"},
			{Name: "scope", Kind: module.Texts, Help: "what it may ask users for; all that shall hold"},
			{Name: "internal", OneOf: []string{"yes", "no"}, Help: "whether it is for members of its organization only"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			change := identity.ClientChange{
				Name: given(in, "name"), RedirectURIs: givenList(in, "redirect"), Scopes: givenList(in, "scope"),
				Internal: givenBool(in, "internal"),
			}
			client, err := c.client(ctx, in)
			if err != nil {
				return nil, err
			}
			if client, err = c.identity.UpdateClient(ctx, client.ID, change); err != nil {
				return nil, commandError(err, seeClients)
			}
			return c.listClient(ctx, client)
		},
	}
}

func (c commands) clientSecret() module.Command {
	return module.Command{
		Path: "client secret", Short: "give an application a new secret; the old one ends at once", Args: clientIDArg(),
		Long: "The secret is printed once. Tokens that users granted stay valid.",
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			client, err := c.client(ctx, in)
			if err != nil {
				return nil, err
			}
			secret, err := c.identity.ReplaceClientSecret(ctx, client.ID)
			if err != nil {
				return nil, commandError(err, seeClients)
			}
			return createdClient{client.Name, client.Type, client.ID, secret}, nil
		},
	}
}

// removedClient is the answer of "client remove".
type removedClient struct {
	ClientID string `json:"client_id"`
	Name     string `json:"name"`
	Removed  bool   `json:"removed"`
}

func (c commands) clientRemove() module.Command {
	return module.Command{
		Path: "client remove", Short: "remove an application with every token it was given", Args: clientIDArg(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			client, err := c.client(ctx, in)
			if err != nil {
				return nil, err
			}
			if err := c.identity.DeleteClient(ctx, client.ID); err != nil {
				return nil, commandError(err, seeClients)
			}
			return removedClient{client.ID, client.Name, true}, nil
		},
	}
}
