package apps

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// addedApp is the answer of "app add" and "app key".
type addedApp struct {
	AppID          int64    `json:"app_id"`
	Slug           string   `json:"slug"`
	ClientID       string   `json:"client_id"`
	ClientSecret   string   `json:"client_secret,omitempty"`
	Permissions    []string `json:"permissions"`
	InstallationID int64    `json:"installation_id,omitempty"`
	PrivateKey     string   `json:"private_key,omitempty"`
}

// Commands are those of apps.
func (a *Apps) Commands() []module.Command {
	app := module.Arg{Name: "app", Help: "number, slug or client id, as app list prints them"}
	owner := module.Arg{Name: "owner", Help: "user or organization"}
	return []module.Command{
		{
			Path: "app add", Short: "add an app of the code host and install it on its owner's repositories",
			Long: "The private key and the secret are printed once.",
			Args: []module.Arg{{Name: "name", Help: "name that pages show"}},
			Flags: []module.Flag{
				{Name: "owner", Required: true, Help: "user or organization that it belongs to"},
				{Name: "permission", Kind: module.Texts, Help: "NAME:read or NAME:write, such as contents:write"},
				{Name: "redirect", Kind: module.Texts, Help: "redirect URI of its users' sign-in"},
			},
			Run: a.runAdd,
		},
		{
			Path: "app key", Short: "give an app another private key", Args: []module.Arg{app},
			Flags: []module.Flag{{Name: "replace", Kind: module.Bool, Help: "end the keys before it"}},
			Long:  "The key is printed once.", Run: a.runKey,
		},
		{
			Path: "app install", Short: "install an app on an account",
			Args: []module.Arg{app, owner, {
				Name: "repo", Help: "NAME of a repository of the owner; none means all", Optional: true, Many: true,
			}},
			Run: a.runInstall,
		},
		{
			Path: "app uninstall", Short: "take an app off an account; its tokens for it end",
			Args: []module.Arg{app, owner}, Run: a.runUninstall,
		},
		{Path: "app list", Short: "list the apps, the oldest first", Run: a.runList},
	}
}

func toAdded(app App) addedApp {
	return addedApp{AppID: app.ID, Slug: app.Slug, ClientID: app.ClientID, Permissions: app.Permissions}
}

func (a *Apps) runAdd(ctx context.Context, in *module.Input) (any, error) {
	made, err := a.Add(ctx, NewApp{
		Name: in.Text("name"), Owner: in.Text("owner"), Permissions: in.Texts("permission"),
		RedirectURIs: in.Texts("redirect"),
	})
	if err != nil {
		return nil, commandError(err)
	}
	out := toAdded(made.App)
	out.ClientSecret, out.PrivateKey, out.InstallationID = made.ClientSecret, made.PrivateKey, made.Installation.ID
	return out, nil
}

func (a *Apps) runKey(ctx context.Context, in *module.Input) (any, error) {
	app, err := a.Find(ctx, in.Text("app"))
	if err == nil && in.Bool("replace") {
		err = a.RemoveKeys(ctx, app)
	}
	if err != nil {
		return nil, commandError(err)
	}
	out := toAdded(app)
	out.PrivateKey, err = a.AddKey(ctx, app)
	return out, commandError(err)
}

// target is the app and the account of a command.
func (a *Apps) target(ctx context.Context, in *module.Input) (app App, owner forge.Owner, err error) {
	if app, err = a.Find(ctx, in.Text("app")); err == nil {
		owner, err = a.host.Forge.Owner(ctx, in.Text("owner"))
	}
	return app, owner, commandError(err)
}

func (a *Apps) runInstall(ctx context.Context, in *module.Input) (any, error) {
	app, owner, err := a.target(ctx, in)
	if err != nil {
		return nil, err
	}
	var chosen []int64
	for _, name := range in.Texts("repo") {
		r, _, err := a.host.Forge.Find(ctx, owner.Name, name)
		if err != nil {
			return nil, commandError(err)
		}
		chosen = append(chosen, r.ID)
	}
	made, err := a.host.Forge.Install(ctx, app.ClientID, owner, chosen)
	out := toAdded(app)
	out.InstallationID = made.ID
	return out, commandError(err)
}

func (a *Apps) runUninstall(ctx context.Context, in *module.Input) (any, error) {
	app, owner, err := a.target(ctx, in)
	if err != nil {
		return nil, err
	}
	found, err := a.host.Forge.InstallationOn(ctx, app.ClientID, owner)
	if err == nil {
		err = a.host.Forge.Uninstall(ctx, found)
	}
	return toAdded(app), commandError(err)
}

func (a *Apps) runList(ctx context.Context, _ *module.Input) (any, error) {
	list, err := allApps(ctx, a.host.DB)
	out := struct {
		Apps []addedApp `json:"apps"`
	}{Apps: []addedApp{}}
	for _, app := range list {
		out.Apps = append(out.Apps, toAdded(app))
	}
	return out, err
}

// commandError gives a refusal its exit code.
func commandError(err error) error {
	var own *refusal.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own) && own.Code == refusal.CodeNotFound:
		return module.Fail(module.NotFound, "stoa app list shows the apps there are", "%w", err)
	case errors.Is(err, forge.ErrNotFound):
		return module.Fail(module.NotFound, "stoa repo list and stoa user list show what there is", "%w", err)
	case errors.As(err, &own), errors.Is(err, identity.ErrInvalid):
		return module.Fail(module.Usage, "see stoa app add --help", "%w", err)
	}
	return err
}
