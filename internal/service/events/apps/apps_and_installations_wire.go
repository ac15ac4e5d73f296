package apps

import (
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
)

type appJSON struct {
	ID          int64             `json:"id"`
	ClientID    string            `json:"client_id"`
	Slug        string            `json:"slug"`
	NodeID      string            `json:"node_id"`
	Owner       objects.User      `json:"owner"`
	Name        string            `json:"name"`
	Description *string           `json:"description"`
	ExternalURL string            `json:"external_url"`
	HTMLURL     string            `json:"html_url"`
	CreatedAt   string            `json:"created_at"`
	UpdatedAt   string            `json:"updated_at"`
	Permissions map[string]string `json:"permissions"`
	// Events are those of the app's own hook: there is none.
	Events             []string `json:"events"`
	InstallationsCount *int64   `json:"installations_count,omitempty"`
}

type installationJSON struct {
	ID                  int64             `json:"id"`
	Account             objects.User      `json:"account"`
	RepositorySelection string            `json:"repository_selection"`
	AccessTokensURL     string            `json:"access_tokens_url"`
	RepositoriesURL     string            `json:"repositories_url"`
	HTMLURL             string            `json:"html_url"`
	AppID               int64             `json:"app_id"`
	ClientID            string            `json:"client_id"`
	AppSlug             string            `json:"app_slug"`
	TargetID            int64             `json:"target_id"`
	TargetType          string            `json:"target_type"`
	Permissions         map[string]string `json:"permissions"`
	Events              []string          `json:"events"`
	CreatedAt           string            `json:"created_at"`
	UpdatedAt           string            `json:"updated_at"`
	SingleFileName      *string           `json:"single_file_name"`
	SuspendedBy         *objects.User     `json:"suspended_by"`
	SuspendedAt         *string           `json:"suspended_at"`
}

type tokenJSON struct {
	Token               string            `json:"token"`
	ExpiresAt           string            `json:"expires_at"`
	Permissions         map[string]string `json:"permissions"`
	RepositorySelection string            `json:"repository_selection"`
	Repositories        []objects.Repo    `json:"repositories,omitempty"`
}

func selection(selected bool) string {
	if selected {
		return "selected"
	}
	return "all"
}

func (a *Apps) appToWire(r *route.Request, app App) (appJSON, error) {
	base := a.host.Base(r)
	owner, err := a.ownerName(r.Context(), app.Owner)
	if err != nil {
		return appJSON{}, err
	}
	client, err := a.host.Identity.Client(r.Context(), app.ClientID)
	if err != nil {
		return appJSON{}, notFoundOr(err)
	}
	address := base + "/apps/" + app.Slug
	return appJSON{
		ID: app.ID, ClientID: app.ClientID, Slug: app.Slug, NodeID: objects.NodeID("App", app.ID),
		Owner: objects.NewOwner(owner, base), Name: client.Name, ExternalURL: address, HTMLURL: address,
		CreatedAt: objects.Stamp(app.CreatedAt), UpdatedAt: objects.Stamp(app.CreatedAt),
		Permissions: permissionsToWire(app.Permissions), Events: []string{},
	}, nil
}

func (a *Apps) installationToWire(r *route.Request, app App, in forge.Installation) (installationJSON, error) {
	base := a.host.Base(r)
	owner, err := a.ownerName(r.Context(), in.Owner)
	if err != nil {
		return installationJSON{}, err
	}
	account := objects.NewOwner(owner, base)
	address := base + "/app/installations/" + strconv.FormatInt(in.ID, 10)
	return installationJSON{
		ID: in.ID, Account: account, RepositorySelection: selection(in.Selected),
		AccessTokensURL: address + "/access_tokens", RepositoriesURL: base + "/installation/repositories",
		HTMLURL: address, AppID: app.ID, ClientID: app.ClientID, AppSlug: app.Slug, TargetID: owner.ID,
		TargetType: account.Type, Permissions: permissionsToWire(app.Permissions), Events: []string{},
		CreatedAt: objects.Stamp(in.CreatedAt), UpdatedAt: objects.Stamp(in.UpdatedAt),
	}, nil
}
