package apps

import (
	"context"
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/objects"
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
