package invitations

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/site"
)

// Sites finds the site of a request, and its address.
type Sites struct {
	Of  func(*route.Request) (site.Site, error)
	URL func(context.Context, site.Site) string
	// Bounds are those of lists.
	Bounds page.Bounds
}

// pagePath is where invitations are accepted, on the public host: that is where users sign in.
const pagePath = "/articles/invitations/"

// Routes are the operations of a team's host.
func (i *Invitations) Routes() []route.Route {
	const pattern = "/api/v2/team_invitations"
	return []route.Route{
		{
			Method: "GET", Pattern: pattern, Name: "teamInvitations.list", Access: route.Optional, Handle: i.handleList,
		},
		{
			Method: "POST", Pattern: pattern, Name: "teamInvitations.create", Access: route.Optional,
			Handle: i.handleCreate,
		},
		{
			Method: "DELETE", Pattern: pattern + "/{email}", Name: "teamInvitations.delete", Access: route.Optional,
			Handle: i.handleDelete,
		},
	}
}

// PageRoutes are the page where a guest joins. The name of the wildcard keeps it out of the log.
func (i *Invitations) PageRoutes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: pagePath + "{token}", Name: "pages.invitation", Handle: i.handleShow},
		{Method: "POST", Pattern: pagePath + "{token}", Name: "pages.accept", Handle: i.handleAccept},
	}
}

type invitationJSON struct {
	Email string `json:"email"`
	URL   string `json:"url"`
}

func (i *Invitations) toWire(ctx context.Context, v Invitation) invitationJSON {
	return invitationJSON{v.Email, i.world.URL(ctx) + pagePath + url.PathEscape(i.token(v))}
}

func (i *Invitations) handleList(w http.ResponseWriter, r *route.Request) error {
	at, err := i.sites.Of(r)
	if err != nil {
		return err
	}
	p, err := i.sites.Bounds.ReadNumbers(r.Query())
	if err != nil {
		return err
	}

	rows, total, err := i.List(r.Context(), at.TeamID(), identity.From(r).UserID, p)
	if err != nil {
		return err
	}

	here, err := url.Parse(i.sites.URL(r.Context(), at) + r.URL.RequestURI())
	if err != nil {
		return err
	}
	w.Header().Set("Link", i.sites.Bounds.Link(here, p, total))
	w.Header().Set("Total-Count", strconv.FormatInt(total, 10))
	out := make([]invitationJSON, len(rows))
	for n, v := range rows {
		out[n] = i.toWire(r.Context(), v)
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

func (i *Invitations) handleCreate(w http.ResponseWriter, r *route.Request) error {
	at, err := i.sites.Of(r)
	if err != nil {
		return err
	}
	var in struct {
		Email string `json:"email"`
	}
	if err := wire.ReadJSON(r.Request, &in, wire.RequireMediaType("application/json")); err != nil {
		return err
	}

	made, err := i.Create(r.Context(), at.TeamID(), identity.From(r).UserID, in.Email)
	if err != nil {
		return err
	}

	w.Header().Set("Cache-Control", "no-store")
	return wire.WriteJSON(w, r.Request, http.StatusCreated, i.toWire(r.Context(), made))
}

func (i *Invitations) handleDelete(w http.ResponseWriter, r *route.Request) error {
	at, err := i.sites.Of(r)
	if err != nil {
		return err
	}

	if err := i.Delete(r.Context(), at.TeamID(), identity.From(r).UserID, r.PathValue("email")); err != nil {
		return err
	}

	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// question is the page's text.
func question(team string) template.HTML {
	name := template.HTMLEscapeString(team)
	return template.HTML( //nolint:gosec // the name is escaped
		"<p>You are invited to the team <strong>" + name + "</strong>. What you write there is read by its members; " +
			"its owner and admins see your mail address.</p>" +
			`<form method="post"><button type="submit">Join ` + name + "</button></form>")
}

// handleShow asks a signed-in user whether to join.
func (i *Invitations) handleShow(w http.ResponseWriter, r *route.Request) error {
	show, err := i.identity.ShowPage(func(r *route.Request, u *identity.User) (identity.Page, error) {
		_, team, err := i.opened(r.Context(), r.PathValue("token"))
		if err != nil {
			return identity.Page{}, err
		}
		if u == nil {
			return identity.Page{}, identity.ErrSignIn
		}
		return identity.Page{Title: "Join " + team.Name, HTML: question(team.Name)}, nil
	})
	if err != nil {
		return err
	}
	return show(w, r)
}

// handleAccept makes the signed-in user a member. A form of another site is refused.
func (i *Invitations) handleAccept(w http.ResponseWriter, r *route.Request) error {
	if err := http.NewCrossOriginProtection().Check(r.Request); err != nil {
		return refusal.New(refusal.Forbidden, "Open the invitation and join from its page")
	}
	u, err := i.identity.SignedInUser(r)
	if err != nil {
		return err
	}
	if u == nil {
		return refusal.New(refusal.Unauthorized, "Sign in and open the invitation again")
	}
	v, team, err := i.opened(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}

	if err := i.accept(r.Context(), v, u.ID); err != nil {
		return err
	}

	show, err := i.identity.ShowMessage(identity.Message{
		Status: http.StatusOK, Title: "You are a member of " + team.Name,
		Text: "Its articles are at " + i.sites.URL(r.Context(), site.Site{Team: &team}) + ".",
	})
	if err != nil {
		return err
	}
	return show(w, r)
}
