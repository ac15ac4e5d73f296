package apps

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// tokenKinds are the kinds of tokens that act as accounts of their own: slugs like them
// are not given to apps.
func tokenKinds() []identity.Kind {
	return []identity.Kind{identity.KindWorkflow, identity.KindProject, identity.KindInstallation}
}

func reserved(slug string) bool { return slices.Contains(tokenKinds(), identity.Kind(slug)) }

// Bot is the account that the app of a client acts under. A client that the operator made
// an installation of becomes an app with its first act.
func (a *Apps) Bot(ctx context.Context, clientID string) (identity.Bot, error) {
	app, err := appByClient(ctx, a.host.DB, clientID)
	if errors.Is(err, database.ErrNotFound) {
		app, err = a.adopt(ctx, clientID)
	}
	if err != nil || app.ID == 0 {
		return identity.Bot{}, err
	}
	return identity.Bot{ID: forge.BotID(app.ID), Name: app.Slug + objects.BotSuffix}, nil
}

// maxSlugs is how many apps may have one name.
const maxSlugs = 1000

// adopt makes an app of a client, without permissions of its own and without keys. One
// without an owner stays without an app.
func (a *Apps) adopt(ctx context.Context, clientID string) (App, error) {
	client, err := a.host.Identity.Client(ctx, clientID)
	if err != nil {
		return App{}, err
	}
	app := App{ClientID: clientID, Owner: forge.Owner{Kind: forge.OwnerOrg, ID: client.OrgID}, CreatedAt: a.host.Now()}
	if client.OrgID == 0 {
		app.Owner = forge.Owner{Kind: forge.OwnerUser, ID: client.OwnerID}
	}
	if app.Owner.ID == 0 {
		return App{}, nil
	}
	base := slugOf(client.Name)
	if base == "" {
		base = "app"
	}
	for n := range maxSlugs {
		if app.Slug = base; n > 0 {
			app.Slug += "-" + strconv.Itoa(n+1)
		}
		taken, err := slugTaken(ctx, a.host.DB, app.Slug)
		if err != nil {
			return App{}, err
		}
		if taken {
			continue
		}
		if app.ID, err = a.insert(ctx, app); err == nil {
			return app, nil
		}
		// Another request may have been faster, with this client or with this name.
		if found, lost := appByClient(ctx, a.host.DB, clientID); lost == nil {
			return found, nil
		}
		if taken, lost := slugTaken(ctx, a.host.DB, app.Slug); lost != nil || !taken {
			return App{}, err
		}
	}
	return App{}, refusal.Invalid("name", "%d apps have this name already", maxSlugs)
}

// Account is what a name with the suffix of bots shows of an application. Others, and
// those of no app, are identity.ErrNotFound.
func (a *Apps) Account(ctx context.Context, name string) (identity.User, error) {
	slug, ok := strings.CutSuffix(name, objects.BotSuffix)
	if !ok {
		return identity.User{}, identity.ErrNotFound
	}
	if reserved(slug) {
		actor := forge.TokenActor(identity.Kind(slug))
		return identity.User{ID: actor.ID, Name: actor.Name}, nil
	}
	app, err := appBySlug(ctx, a.host.DB, slug)
	if errors.Is(err, database.ErrNotFound) {
		err = identity.ErrNotFound
	}
	if err != nil {
		return identity.User{}, err
	}
	return identity.User{ID: forge.BotID(app.ID), Name: app.Slug + objects.BotSuffix, CreatedAt: app.CreatedAt}, nil
}

// bySlug finds an app by the name in addresses alone.
func (a *Apps) bySlug(ctx context.Context, slug string) (App, error) {
	app, err := appBySlug(ctx, a.host.DB, slug)
	if errors.Is(err, database.ErrNotFound) {
		err = refusal.NotFound()
	}
	return app, err
}

// Page is what the page of an app shows.
type Page struct {
	Name, Slug, Owner, Picture string
	Permissions                []string
}

// Page is an app as a page shows it; base is where addresses begin.
func (a *Apps) Page(ctx context.Context, slug, base string) (Page, error) {
	if reserved(slug) {
		actor := forge.TokenActor(identity.Kind(slug))
		return Page{Name: actor.Name, Slug: slug, Picture: objects.Avatar(base, "Bot", actor.ID)}, nil
	}
	app, err := a.bySlug(ctx, slug)
	if err != nil {
		return Page{}, err
	}
	client, err := a.host.Identity.Client(ctx, app.ClientID)
	if err != nil {
		return Page{}, notFoundOr(err)
	}
	owner, err := a.ownerName(ctx, app.Owner)
	return Page{
		Name: client.Name, Slug: app.Slug, Owner: owner.Name, Permissions: app.Permissions,
		Picture: objects.Avatar(base, "Bot", forge.BotID(app.ID)),
	}, err
}
