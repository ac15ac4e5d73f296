package console

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

type applicationsBody struct {
	Clients []identity.Client
	// Services are what an application can be registered to ask for.
	Services []serviceScopes
}

// serviceScopes are the scopes of one service that users may grant.
type serviceScopes struct {
	Title  string
	Scopes []scopeText
}

func (c *Console) handleApplications(w http.ResponseWriter, r *route.Request, v viewer) error {
	list, err := c.identity.Clients(r.Context(), v.user.ID)
	if err != nil {
		return err
	}
	body := applicationsBody{Clients: list}
	for _, m := range c.modules {
		if scopes := c.grantableScopes(m.Name); len(scopes) > 0 {
			body.Services = append(body.Services, serviceScopes{m.Title, scopes})
		}
	}
	return c.render(w, r, http.StatusOK, "applications", v.view("Applications", "applications", body))
}

// handleAddApplication adds a client of a type that users may add themselves.
// Service accounts and apps are the operator's.
func (c *Console) handleAddApplication(w http.ResponseWriter, r *route.Request, v viewer) error {
	kind := identity.ClientType(v.form.Get("type"))
	if kind != identity.ClientWeb && kind != identity.ClientDevice {
		return &identity.InvalidError{Field: "type", Reason: "must be web or device"}
	}
	redirects := strings.Fields(v.form.Get("redirects"))
	if kind == identity.ClientWeb && len(redirects) == 0 {
		return &identity.InvalidError{Field: "redirect URI", Reason: "is required for a web application"}
	}
	client, secret, err := c.identity.AddClient(r.Context(), identity.NewClient{
		Name: strings.TrimSpace(v.form.Get("name")), Type: kind, RedirectURIs: redirects, OwnerID: v.user.ID,
		Scopes: v.form["scope"],
	})
	if err != nil {
		return err
	}
	return c.showClientSecret(w, r, v, client, secret)
}

func (c *Console) showClientSecret(
	w http.ResponseWriter, r *route.Request, v viewer, client identity.Client, secret string,
) error {
	return c.render(w, r, http.StatusOK, "secret", v.view(client.Name, "applications", secretBody{
		Heading: client.Name, Text: "Copy the secret now. It is shown only once; a lost secret can only be replaced.",
		Values: []namedValue{{"Client ID", client.ID}, {"Client secret", secret}}, Back: "/console/applications",
	}))
}

// ownClient finds a client that the viewer owns.
func (c *Console) ownClient(r *route.Request, v viewer) (identity.Client, error) {
	client, err := c.identity.Client(r.Context(), r.PathValue("id"))
	if err == nil && client.OwnerID != v.user.ID {
		err = &identity.NotFoundError{What: "client", Name: r.PathValue("id")}
	}
	return client, err
}

func (c *Console) handleNewSecret(w http.ResponseWriter, r *route.Request, v viewer) error {
	client, err := c.ownClient(r, v)
	if err != nil {
		return err
	}
	secret, err := c.identity.ReplaceClientSecret(r.Context(), client.ID)
	if err != nil {
		return err
	}
	return c.showClientSecret(w, r, v, client, secret)
}

func (c *Console) handleDeleteApplication(w http.ResponseWriter, r *route.Request, v viewer) error {
	client, err := c.ownClient(r, v)
	if err != nil {
		return err
	}
	if err := c.identity.DeleteClient(r.Context(), client.ID); err != nil {
		return err
	}
	return redirect(w, r, "/console/applications")
}
