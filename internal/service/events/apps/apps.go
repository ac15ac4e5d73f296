package apps

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// TokenTTL is how long an installation token lives.
const TokenTTL = time.Hour

const (
	// maxKeys bounds the keys of an app: one that is used and one that follows it.
	maxKeys = 10
	// maxRepositories bounds what one token is limited to.
	maxRepositories = 500
)

// App is an app of the code host.
type App struct {
	ID       int64
	ClientID string
	// Slug is the name in addresses.
	Slug string
	// Owner has no name: names change.
	Owner forge.Owner
	// Permissions are scopes.
	Permissions []string
	CreatedAt   time.Time
}

// Apps are those of a world.
type Apps struct {
	host operation.Host
	ids  *ids.Source
	// service is what tokens are issued for.
	service string
}

// New makes the apps of a host.
func New(w *world.World, host operation.Host, service string) *Apps {
	return &Apps{host: host, ids: w.IDs, service: service}
}

// NewApp is what Add needs.
type NewApp struct {
	Name string
	// Owner is the name of a user or an organization.
	Owner        string
	Permissions  []string
	RedirectURIs []string
}

// Added is an app with its secrets, which are never shown again.
type Added struct {
	App          App
	ClientSecret string
	// PrivateKey is in PEM.
	PrivateKey   string
	Installation forge.Installation
}

// Add makes an app with its first key, and installs it on all repositories of its owner.
func (a *Apps) Add(ctx context.Context, n NewApp) (Added, error) {
	owner, err := a.host.Forge.Owner(ctx, n.Owner)
	if err != nil {
		return Added{}, err
	}
	permissions, err := a.permissions(n.Permissions)
	if err != nil {
		return Added{}, err
	}
	slug := slugOf(n.Name)
	if slug == "" {
		return Added{}, refusal.Invalid("name", "name must have a letter or a digit")
	}
	client := identity.NewClient{Name: n.Name, Type: identity.ClientApp, RedirectURIs: n.RedirectURIs}
	if owner.Kind == forge.OwnerOrg {
		client.OrgID = owner.ID
	} else {
		client.OwnerID = owner.ID
	}
	if taken, err := slugTaken(ctx, a.host.DB, slug); err != nil || taken {
		return Added{}, errors.Join(err, refusal.Invalid("name", "an app has this name already"))
	}
	made, secret, err := a.host.Identity.AddClient(ctx, client)
	if err != nil {
		return Added{}, err
	}
	out := Added{ClientSecret: secret, App: App{
		ClientID: made.ID, Slug: slug, Owner: owner, Permissions: permissions, CreatedAt: a.host.Now(),
	}}
	if out.App.ID, err = a.insert(ctx, out.App); err != nil {
		// Without its row the client is of no use.
		return Added{}, errors.Join(err, a.host.Identity.DeleteClient(ctx, made.ID))
	}
	if out.PrivateKey, err = a.AddKey(ctx, out.App); err != nil {
		return out, err
	}
	out.Installation, err = a.host.Forge.Install(ctx, made.ID, owner, nil)
	return out, err
}

// AddKey makes another private key. Those before it stay good.
func (a *Apps) AddKey(ctx context.Context, app App) (string, error) {
	private, err := signing.GenerateKey(a.ids)
	if err != nil {
		return "", err
	}
	public := x509.MarshalPKCS1PublicKey(&private.PublicKey)
	err = a.host.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		keys, err := keysOf(ctx, tx, app.ID)
		if err != nil {
			return err
		}
		if len(keys) >= maxKeys {
			return refusal.Invalid("keys", "an app has at most %d keys", maxKeys)
		}
		return insertKey(ctx, tx, app.ID, public, a.host.Now())
	})
	if err != nil {
		return "", err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}
	return string(pem.EncodeToMemory(block)), nil
}

// RemoveKeys ends all keys of an app.
func (a *Apps) RemoveKeys(ctx context.Context, app App) error {
	return deleteKeys(ctx, a.host.DB, app.ID)
}

// Find finds an app by its number, its slug or its client id.
func (a *Apps) Find(ctx context.Context, text string) (App, error) {
	app, err := appBy(ctx, a.host.DB, text)
	if errors.Is(err, database.ErrNotFound) {
		return App{}, refusal.NotFound()
	}
	return app, err
}

// slugOf is a name as addresses write it: small letters, digits and single hyphens.
func slugOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}

// bySlug finds an app by the name in addresses alone.
func (a *Apps) bySlug(ctx context.Context, slug string) (App, error) {
	app, err := appBySlug(ctx, a.host.DB, slug)
	if errors.Is(err, database.ErrNotFound) {
		err = refusal.NotFound()
	}
	return app, err
}
