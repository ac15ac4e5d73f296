package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/identity/redirects"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
)

// ClientType is the sort of application.
type ClientType string

// The types of clients.
const (
	// ClientWeb keeps a secret and uses the code flow.
	ClientWeb ClientType = "web"
	// ClientDevice cannot keep a secret and uses the device flow.
	ClientDevice ClientType = "device"
	// ClientService is a service account with a principal of its own.
	ClientService ClientType = "service"
	// ClientApp is installed into organizations and acts for itself there.
	ClientApp ClientType = "app"
)

// Client is an application that acts for users or for itself.
type Client struct {
	// ID is 40 lower-case hexadecimal characters, the strictest form any of
	// the contracts asks for.
	ID           string
	Name         string
	Type         ClientType
	RedirectURIs []string
	// Scopes are all that the client may ask users for; none means those of the
	// service whose flow it uses, and nothing of any other service.
	Scopes []string
	OrgID  int64
	// Internal clients may be used by members of their organization only.
	Internal bool
	OwnerID  int64
	// PrincipalID is the user that a service client acts as.
	PrincipalID int64
	CreatedAt   time.Time

	secretHash []byte
}

// NewClient is what AddClient needs.
type NewClient struct {
	Name         string
	Type         ClientType
	RedirectURIs []string
	// Scopes bound what the client may ask for, written short, in full or in
	// the dialect's spelling. Those of the operator are refused.
	Scopes   []string
	OrgID    int64
	Internal bool
	OwnerID  int64
}

// AddClient makes a client and returns its secret, which is never shown again.
func (i *Identity) AddClient(ctx context.Context, n NewClient) (Client, string, error) {
	if err := n.check(); err != nil {
		return Client{}, "", err
	}
	scopes, err := i.expandAll(ctx, []string{AllServices}, n.Scopes, false)
	if err != nil {
		return Client{}, "", err
	}
	secret := Hex40().Make(i.ids)
	hash := hashSecret(secret)
	c := Client{
		ID: i.ids.Hex(40), Name: n.Name, Type: n.Type, RedirectURIs: slices.Clone(n.RedirectURIs), Scopes: scopes,
		OrgID: n.OrgID, Internal: n.Internal, OwnerID: n.OwnerID, CreatedAt: i.now(), secretHash: hash[:],
	}
	err = i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if c.Type == ClientService {
			// The principal's name is derived from the client's id, which is
			// random, so that it cannot collide with a user's choice.
			principal := User{
				Name: "service-" + c.ID[:16], DisplayName: c.Name, ServiceAccount: true, CreatedAt: c.CreatedAt,
			}
			id, err := insertUser(ctx, tx, principal, "")
			if err != nil {
				return err
			}
			c.PrincipalID = id
		}
		return i.trail.After(ctx, tx, insertClient(ctx, tx, c), c.act("client.add"))
	})
	return c, secret, err
}

// Client finds a client by id.
func (i *Identity) Client(ctx context.Context, id string) (Client, error) {
	return orNotFound(i.clientByID(ctx, id))("client", id)
}

// maxClientBytes bounds the clients that are kept.
const maxClientBytes = 1 << 20

func clientCost(id string, c Client) int {
	n := 256 + len(id) + len(c.Name)
	for _, text := range slices.Concat(c.RedirectURIs, c.Scopes) {
		n += 16 + len(text)
	}
	return n
}

// clientByID keeps what it read where no other process may change it: a device
// asks with its client every few seconds. Callers do not change the lists in it.
func (i *Identity) clientByID(ctx context.Context, id string) (Client, error) {
	if i.cache == nil {
		return clientByID(ctx, i.db, id)
	}
	c, mark, ok := i.clients.Look(id)
	if ok {
		return c, nil
	}
	c, err := clientByID(ctx, i.db, id)
	if err == nil {
		i.clients.PutSince(id, c, mark)
	}
	return c, err
}

// ShowCaches tells show of the caches of clients and users.
func (i *Identity) ShowCaches(show func(name string, stats func() memo.Stats)) {
	show("identity.clients", i.clients.Stats)
	show("identity.users", i.named.Stats)
}

// Clients lists the clients of an owner, all when the owner is zero.
func (i *Identity) Clients(ctx context.Context, ownerID int64) ([]Client, error) {
	return clientsOf(ctx, i.db, ownerID)
}

// ClientsAfter lists clients in the order of their ids, starting after the given id; the
// owner zero and the limit 0 mean all. A page takes as long wherever it is.
func (i *Identity) ClientsAfter(ctx context.Context, ownerID int64, after string, limit int) ([]Client, error) {
	return clientsAfter(ctx, i.db, ownerID, after, limit)
}

// ClientsOfOrg lists the clients that an organization owns, the oldest first.
func (i *Identity) ClientsOfOrg(ctx context.Context, orgID int64) ([]Client, error) {
	return clientsOfOrg(ctx, i.db, orgID)
}

// ClientsNamed lists the clients of a name, which need not be one.
func (i *Identity) ClientsNamed(ctx context.Context, name string) ([]Client, error) {
	return clientsNamed(ctx, i.db, name)
}

// CheckClient finds the client that proves itself with the secret. A wrong id
// and a wrong secret are both ErrUnknown and take the same time.
func (i *Identity) CheckClient(ctx context.Context, id, secret string) (Client, error) {
	c, err := i.clientByID(ctx, id)
	if err != nil && !errors.Is(err, database.ErrNotFound) {
		return Client{}, err
	}
	if !c.HasSecret(secret) {
		return Client{}, ErrUnknown
	}
	return c, nil
}

// HasSecret reports whether the secret is the client's, in constant time.
func (c Client) HasSecret(secret string) bool {
	hash := hashSecret(secret)
	return subtle.ConstantTimeCompare(hash[:], c.secretHash) == 1
}

// HasRedirect reports whether the client registered exactly this redirect URI, and
// it is one that may be registered today. There is no normalization and no pattern:
// near misses are how codes are stolen. The one exception is that of RFC 8252 section
// 7.3: a client that cannot keep a secret and registered a loopback address without a
// port may come back on any port, because it takes the one that is free.
func (c Client) HasRedirect(uri string) bool {
	if redirects.Problem(uri) != "" {
		return false
	}
	if slices.Contains(c.RedirectURIs, uri) {
		return true
	}
	portless, ok := redirects.WithoutLoopbackPort(uri)
	return ok && c.Type == ClientDevice && slices.Contains(c.RedirectURIs, portless)
}

// ClientChange holds the members to change; nil leaves one as it is.
type ClientChange struct {
	Name         *string
	RedirectURIs *[]string
	// Scopes are written as in NewClient.
	Scopes   *[]string
	Internal *bool
}

// UpdateClient changes a client. What users have granted before stays theirs to
// revoke; new requests are held against the change at once.
func (i *Identity) UpdateClient(ctx context.Context, id string, change ClientChange) (Client, error) {
	var c Client
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if c, err = orNotFound(clientByID(ctx, tx, id))("client", id); err != nil {
			return err
		}
		set(&c.Name, change.Name)
		set(&c.RedirectURIs, change.RedirectURIs)
		set(&c.Internal, change.Internal)
		if change.Scopes != nil {
			if c.Scopes, err = i.expandAll(ctx, []string{AllServices}, *change.Scopes, false); err != nil {
				return err
			}
		}
		if err := change.check(c.Type, c.OrgID); err != nil {
			return err
		}
		tx.OnCommit(i.forgetAll)
		return i.trail.After(ctx, tx, updateClient(ctx, tx, c), c.act("client.set"))
	})
	return c, err
}

// ReplaceClientSecret gives the client a new secret; the old one dies at once.
func (i *Identity) ReplaceClientSecret(ctx context.Context, id string) (string, error) {
	secret := Hex40().Make(i.ids)
	hash := hashSecret(secret)
	err := i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := updateClientSecret(ctx, tx, id, hash[:])
		if err == nil && n == 0 {
			return &NotFoundError{"client", id}
		}
		if err != nil {
			return err
		}
		tx.OnCommit(i.forgetAll)
		c, err := clientByID(ctx, tx, id)
		return i.trail.After(ctx, tx, err, c.act("client.secret"))
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// DeleteClient removes a client with every token it was given. A service
// account's principal is disabled and kept, because services may hold its data.
func (i *Identity) DeleteClient(ctx context.Context, id string) error {
	return i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		c, err := orNotFound(clientByID(ctx, tx, id))("client", id)
		if err != nil {
			return err
		}
		tx.OnCommit(i.forgetAll)
		if c.PrincipalID != 0 {
			principal, err := userByID(ctx, tx, c.PrincipalID)
			if err != nil {
				return err
			}
			principal.Disabled = true
			if err := updateUser(ctx, tx, principal); err != nil {
				return err
			}
		}
		return i.trail.After(ctx, tx, deleteClient(ctx, tx, id), c.act("client.remove"))
	})
}

func (n NewClient) check() error {
	if !slices.Contains([]ClientType{ClientWeb, ClientDevice, ClientService, ClientApp}, n.Type) {
		return &InvalidError{"client type", "must be web, device, service or app"}
	}
	return ClientChange{Name: &n.Name, RedirectURIs: &n.RedirectURIs, Internal: &n.Internal}.check(n.Type, n.OrgID)
}

// check judges what a change has of a client. What it leaves alone, an earlier version may have allowed.
func (n ClientChange) check(kind ClientType, orgID int64) error {
	if n.Internal != nil && *n.Internal && orgID == 0 {
		return &InvalidError{"internal", "needs an organization"}
	}
	if n.RedirectURIs != nil {
		if problem := redirects.ProblemOfAll(kind == ClientWeb, *n.RedirectURIs); problem != "" {
			return &InvalidError{"redirect URI", problem}
		}
	}
	switch {
	case n.Name == nil:
		return nil
	case *n.Name == "":
		return &InvalidError{"client name", "must not be empty"}
	}
	return checkText("client name", *n.Name, 255)
}
