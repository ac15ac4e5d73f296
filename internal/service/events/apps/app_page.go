package apps

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/events/objects"
)

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
