package apps

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/refusal"
)

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
