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
	// Problem is why the form was refused; Name, Type and Redirects are what it had, and Chosen
	// says that it named scopes.
	Problem, Name, Type, Redirects string
	Chosen                         bool
}

// serviceScopes are the scopes of one service that users may grant.
type serviceScopes struct {
	Title  string
	Scopes []scopeText
}

func (c *Console) handleApplications(w http.ResponseWriter, r *route.Request, v viewer) error {
	return c.showApplications(w, r, v, "")
}

// showApplications lists them, with the form for another, which has a problem where it was refused.
func (c *Console) showApplications(w http.ResponseWriter, r *route.Request, v viewer, problem string) error {
	list, err := c.identity.Clients(r.Context(), v.user.ID)
	if err != nil {
		return err
	}
	body := applicationsBody{
		Clients: list, Problem: problem, Name: v.form.Get("name"), Type: v.form.Get("type"),
		Redirects: v.form.Get("redirects"), Chosen: len(v.form["scope"]) > 0,
	}
	for _, m := range c.modules {
		if scopes := c.grantableScopes(m.Name, v.form["scope"]...); len(scopes) > 0 {
			body.Services = append(body.Services, serviceScopes{m.Title, scopes})
		}
	}
	return c.render(w, r, formStatus(problem), "applications", v.view("Applications", "applications", body))
}

// handleAddApplication adds a client of a type that users may add themselves.
// Service accounts and apps are the operator's.
func (c *Console) handleAddApplication(w http.ResponseWriter, r *route.Request, v viewer) error {
	client, secret, err := c.addApplication(r, v)
	if problem := formProblem(err); problem != "" {
		return c.showApplications(w, r, v, problem)
	}
	if err != nil {
		return err
	}
	return c.showClientSecret(w, r, v, client, secret)
}

func (c *Console) addApplication(r *route.Request, v viewer) (identity.Client, string, error) {
	kind := identity.ClientType(v.form.Get("type"))
	if kind != identity.ClientWeb && kind != identity.ClientDevice {
		return identity.Client{}, "", &identity.InvalidError{Field: "type", Reason: "must be web or device"}
	}
	return c.identity.AddClient(r.Context(), identity.NewClient{
		Name: strings.TrimSpace(v.form.Get("name")), Type: kind, OwnerID: v.user.ID, Scopes: v.form["scope"],
		RedirectURIs: strings.Fields(v.form.Get("redirects")),
	})
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
