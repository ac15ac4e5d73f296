package apps

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

type result = operation.Result

// Routes are the operations.
func (a *Apps) Routes() []route.Route {
	const one = "/app/installations/{id}"
	read, change := a.host.Read, a.host.Change
	return []route.Route{
		read("/app", "get_app", a.handleApp),
		read("/apps/{slug}", "get_app_by_slug", a.handleAppBySlug),
		read("/app/installations", "list_installations", a.handleInstallations),
		read(one, "get_installation", a.handleInstallation),
		change("DELETE", one, "delete_installation", a.handleUninstall),
		change("POST", one+"/access_tokens", "create_installation_token", a.handleCreateToken),
		change("DELETE", "/installation/token", "revoke_installation_token", a.handleRevokeToken),
		read("/installation/repositories", "list_installation_repos", a.handleInstalledRepos),
		read("/repos/{owner}/{repo}/installation", "get_repo_installation", a.handleRepoInstallation),
		read("/orgs/{org}/installation", "get_org_installation", a.accountInstallation("org", forge.OwnerOrg)),
		read("/users/{username}/installation", "get_user_installation",
			a.accountInstallation("username", forge.OwnerUser)),
	}
}

// callingApp is the app that signed the request.
func (a *Apps) callingApp(r *route.Request) (App, error) {
	c := identity.From(r)
	if c == nil || c.Kind != identity.KindApp {
		return App{}, undecodable()
	}
	return a.Find(r.Context(), c.ClientID)
}

func (a *Apps) handleApp(r *route.Request) (result, error) {
	app, err := a.callingApp(r)
	if err != nil {
		return result{}, err
	}
	out, err := a.appToWire(r, app)
	if err != nil {
		return result{}, err
	}
	_, count, err := a.host.Forge.Installations(r.Context(), app.ClientID, 1, 0)
	out.InstallationsCount = &count
	return operation.OK(out), err
}

func (a *Apps) handleAppBySlug(r *route.Request) (result, error) {
	app, err := a.bySlug(r.Context(), r.PathValue("slug"))
	if err != nil {
		return result{}, err
	}
	out, err := a.appToWire(r, app)
	return operation.OK(out), err
}

func (a *Apps) handleInstallations(r *route.Request) (result, error) {
	app, err := a.callingApp(r)
	if err != nil {
		return result{}, err
	}
	page := a.host.Page(r)
	list, total, err := a.host.Forge.Installations(r.Context(), app.ClientID, page.Size, page.Offset)
	if err != nil {
		return result{}, err
	}
	out := []installationJSON{}
	for _, in := range list {
		one, err := a.installationToWire(r, app, in)
		if err != nil {
			return result{}, err
		}
		out = append(out, one)
	}
	return operation.ListOf(out, total), nil
}

// one is the installation of the path and the app that asks.
func (a *Apps) one(r *route.Request) (app App, in forge.Installation, err error) {
	if app, err = a.callingApp(r); err != nil {
		return app, in, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return app, in, err
	}
	in, err = a.host.Forge.Installation(r.Context(), app.ClientID, id)
	return app, in, refusal.FromForge(err)
}

func (a *Apps) handleInstallation(r *route.Request) (result, error) {
	app, in, err := a.one(r)
	if err != nil {
		return result{}, err
	}
	out, err := a.installationToWire(r, app, in)
	return operation.OK(out), err
}

// handleUninstall takes the app off an account; its tokens for it end.
func (a *Apps) handleUninstall(r *route.Request) (result, error) {
	_, in, err := a.one(r)
	if err != nil {
		return result{}, err
	}
	return operation.Empty(), a.host.Forge.Uninstall(r.Context(), in)
}

// handleCreateToken makes a token of an installation.
func (a *Apps) handleCreateToken(r *route.Request) (result, error) {
	app, in, err := a.one(r)
	if err != nil {
		return result{}, err
	}
	var asked tokenRequest
	if err := wire.ReadJSON(r.Request, &asked); err != nil && !errors.Is(err, wire.ErrEmptyBody) {
		return result{}, err
	}
	made, err := a.issue(r.Context(), app, in, asked)
	if err != nil {
		return result{}, err
	}
	out := tokenJSON{
		Token: made.secret, ExpiresAt: objects.Stamp(made.token.ExpiresAt),
		Permissions: permissionsToWire(made.token.Scopes), RepositorySelection: selection(in.Selected),
	}
	for _, repo := range made.repositories {
		out.RepositorySelection = selection(true)
		out.Repositories = append(out.Repositories, objects.NewRepo(repo, a.host.Base(r)))
	}
	return result{Status: http.StatusCreated, Body: out}, nil
}

// handleRevokeToken ends the token that it is called with.
func (a *Apps) handleRevokeToken(r *route.Request) (result, error) {
	c := identity.From(r)
	if c.Kind != identity.KindInstallation {
		return result{}, refusal.Forbidden("Resource not accessible by this token")
	}
	return operation.Empty(), a.host.Identity.RevokeToken(r.Context(), c.TokenID)
}

// handleRepoInstallation is the installation on a repository. The app need not see it.
func (a *Apps) handleRepoInstallation(r *route.Request) (result, error) {
	app, err := a.callingApp(r)
	if err != nil {
		return result{}, err
	}
	repo, _, err := a.host.Forge.Find(r.Context(), r.PathValue("owner"), r.PathValue("repo"))
	if err != nil {
		return result{}, refusal.FromForge(err)
	}
	in, err := a.host.Forge.InstallationOn(r.Context(), app.ClientID, repo.Owner)
	if err != nil {
		return result{}, refusal.FromForge(err)
	}
	covered, err := a.host.Forge.Covers(r.Context(), in, repo)
	if err == nil && !covered {
		err = refusal.NotFound()
	}
	if err != nil {
		return result{}, err
	}
	out, err := a.installationToWire(r, app, in)
	return operation.OK(out), err
}

// accountInstallation is the installation on the account that the path names.
func (a *Apps) accountInstallation(name string, kind forge.OwnerKind) operation.Handler {
	return func(r *route.Request) (result, error) {
		app, err := a.callingApp(r)
		if err != nil {
			return result{}, err
		}
		owner, err := a.host.Forge.Owner(r.Context(), r.PathValue(name))
		if err == nil && owner.Kind != kind {
			err = refusal.NotFound()
		}
		if err != nil {
			return result{}, refusal.FromForge(err)
		}
		in, err := a.host.Forge.InstallationOn(r.Context(), app.ClientID, owner)
		if err != nil {
			return result{}, refusal.FromForge(err)
		}
		out, err := a.installationToWire(r, app, in)
		return operation.OK(out), err
	}
}
