package console

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// tokensBody lists the credentials of a user.
type tokensBody struct {
	Tokens, Authorized []tokenRow
}

// tokenRow is one token or key.
type tokenRow struct {
	ID                     int64
	Name, Kind, Services   string
	Scopes                 []string
	Created, Used, Expires time.Time
}

func (c *Console) handleTokens(w http.ResponseWriter, r *route.Request, v viewer) error {
	tokens, err := c.identity.TokensOf(r.Context(), v.user.ID)
	if err != nil {
		return err
	}
	keys, err := c.identity.KeysOf(r.Context(), v.user.ID)
	if err != nil {
		return err
	}
	var body tokensBody
	for _, t := range tokens {
		row := tokenRow{
			ID: t.ID, Name: t.Note, Kind: "token", Services: c.serviceTitles(t.Services), Scopes: t.Scopes,
			Created: t.CreatedAt, Used: t.LastUsedAt, Expires: t.ExpiresAt,
		}
		if t.Kind == identity.KindAccess {
			if row.Name, err = c.applicationName(r, t.ClientID); err != nil {
				return err
			}
			body.Authorized = append(body.Authorized, row)
			continue
		}
		body.Tokens = append(body.Tokens, row)
	}
	for _, k := range keys {
		body.Tokens = append(body.Tokens, tokenRow{
			ID: k.ID, Name: k.Note, Kind: keyKind(k.Kind), Services: c.serviceTitle(k.Service), Scopes: k.Scopes,
			Created: k.CreatedAt, Used: k.LastUsedAt, Expires: k.ExpiresAt,
		})
	}
	return c.render(w, r, http.StatusOK, "tokens", v.view("Access tokens and keys", "tokens", body))
}

// keyKind is a kind of key as the page names it.
func keyKind(k identity.Kind) string {
	if k == identity.KindAPI {
		return "API key"
	}
	return "application key"
}

// applicationName names the holder of an access token.
func (c *Console) applicationName(r *route.Request, clientID string) (string, error) {
	if clientID == "" {
		return "Device", nil
	}
	client, err := c.identity.Client(r.Context(), clientID)
	return client.Name, err
}

func (c *Console) serviceTitles(services []string) string {
	if slices.Contains(services, identity.AllServices) {
		return "all services"
	}
	titles := make([]string, len(services))
	for n, s := range services {
		titles[n] = c.serviceTitle(s)
	}
	return strings.Join(titles, ", ")
}

// newTokenBody is the form for a token; without a service it asks for one.
type newTokenBody struct {
	Modules   []module.Module
	Module    *module.Module
	Kinds     []kindChoice
	Scopes    []scopeText
	Lifetimes []lifetimeChoice
	// Problem is why the form was refused; Note, Kind and Days are what it had.
	Problem, Note, Days string
	Kind                identity.Kind
}

type kindChoice struct {
	Kind  identity.Kind
	Label string
}

type lifetimeChoice struct {
	Days  int
	Label string
}

func lifetimes() []lifetimeChoice {
	return []lifetimeChoice{{30, "30 days"}, {7, "7 days"}, {90, "90 days"}, {365, "1 year"}, {0, "No expiration"}}
}

// kinds are those that the service takes.
func (c *Console) kinds(service string) (list []kindChoice) {
	labels := map[identity.Kind]string{
		identity.KindPersonal: "Personal access token", identity.KindAPI: "API key",
		identity.KindApplication: "Application key",
	}
	for _, k := range c.identity.IssuedKinds(service) {
		list = append(list, kindChoice{k, labels[k]})
	}
	return list
}

// takesOwn reports whether users create credentials for a service themselves.
func (c *Console) takesOwn(service string) bool {
	return !c.identity.OperatorOnly(service) && len(c.identity.IssuedKinds(service)) > 0
}

func (c *Console) handleTokenForm(w http.ResponseWriter, r *route.Request, v viewer) error {
	return c.showTokenForm(w, r, v, r.Query().Get("service"), "")
}

// showTokenForm is the form for a token of a service, empty to begin with. With a problem it
// is the form of the viewer, which was refused.
func (c *Console) showTokenForm(
	w http.ResponseWriter, r *route.Request, v viewer, service, problem string,
) error {
	body := newTokenBody{
		Lifetimes: lifetimes(), Problem: problem,
		Note: v.form.Get("note"), Days: v.form.Get("days"), Kind: identity.Kind(v.form.Get("kind")),
	}
	for _, m := range c.modules {
		if c.takesOwn(m.Name) {
			body.Modules = append(body.Modules, m)
		}
	}
	if service != "" {
		m, err := c.module(service)
		if err != nil {
			return err
		}
		body.Module, body.Scopes, body.Kinds = m, c.grantableScopes(m.Name, v.form["scope"]...), c.kinds(m.Name)
	}
	return c.render(w, r, formStatus(problem), "newtoken", v.view("New access token or key", "tokens", body))
}

// grantableScopes are the scopes of a service that users may grant.
func (c *Console) grantableScopes(service string, chosen ...string) (list []scopeText) {
	for _, s := range c.identity.GrantableScopes(service) {
		list = append(list, scopeText{capitalize(s.Description), s.Name, slices.Contains(chosen, s.Name)})
	}
	return list
}

// module finds a service that users create tokens for themselves.
func (c *Console) module(name string) (*module.Module, error) {
	for n := range c.modules {
		if c.modules[n].Name == name && c.takesOwn(name) {
			return &c.modules[n], nil
		}
	}
	return nil, &identity.NotFoundError{What: "service", Name: name}
}

// secretBody shows a secret once.
type secretBody struct {
	Heading, Text string
	Values        []namedValue
	Back          string
}

type namedValue struct{ Label, Value string }

func (c *Console) handleIssue(w http.ResponseWriter, r *route.Request, v viewer) error {
	m, err := c.module(v.form.Get("service"))
	if err != nil {
		return err
	}
	heading, secret, err := c.issue(r, v, m)
	if problem := formProblem(err); problem != "" {
		return c.showTokenForm(w, r, v, m.Name, problem)
	}
	if err != nil {
		return err
	}
	return c.render(w, r, http.StatusOK, "secret", v.view(heading, "tokens", secretBody{
		Heading: heading, Text: "Copy it now. It is shown only once.",
		Values: []namedValue{{m.Title, secret}}, Back: "/console/tokens",
	}))
}

// issue makes the token or key that a form asks for.
func (c *Console) issue(r *route.Request, v viewer, m *module.Module) (heading, secret string, err error) {
	days, err := strconv.Atoi(v.form.Get("days"))
	if err != nil || days < 0 || days > 3650 {
		return "", "", &identity.InvalidError{Field: "expiration", Reason: "must be 0 to 3650 days"}
	}
	note := strings.TrimSpace(v.form.Get("note"))
	kind := identity.Kind(v.form.Get("kind"))
	if taken := c.kinds(m.Name); !slices.ContainsFunc(taken, func(k kindChoice) bool { return k.Kind == kind }) {
		return "", "", &identity.InvalidError{Field: "type:", Reason: m.Title + " takes " + taken[0].Label + ", choose that"}
	}
	if kind == identity.KindPersonal && len(v.form["scope"]) == 0 && len(c.grantableScopes(m.Name)) > 0 {
		return "", "", &identity.InvalidError{
			Field: "choose", Reason: "at least one scope: a token without any can do nothing",
		}
	}
	if kind == identity.KindPersonal {
		heading = "Your new token"
		_, secret, err = c.identity.IssueToken(r.Context(), identity.IssueOptions{
			Kind: kind, Services: []string{m.Name}, Scopes: v.form["scope"], UserID: v.user.ID, Note: note,
			TTL: time.Duration(days) * 24 * time.Hour,
		})
	} else {
		heading = "Your new key"
		_, secret, err = c.identity.IssueKey(r.Context(), identity.KeyOptions{
			Service: m.Name, Kind: kind, UserID: v.user.ID, Note: note, Scopes: v.form["scope"], Days: days,
		})
	}
	return heading, secret, err
}

// formProblem is what a form is shown again with, empty where it is not the form that is wrong.
func formProblem(err error) string {
	var invalid *identity.InvalidError
	if !errors.As(err, &invalid) {
		return ""
	}
	return capitalize(invalid.Error()) + "."
}

// formStatus is that of a page with a form.
func formStatus(problem string) int {
	if problem != "" {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// handleRevoke ends a token with everything that came from the same grant.
func (c *Console) handleRevoke(w http.ResponseWriter, r *route.Request, v viewer) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	t, err := c.identity.Token(r.Context(), id)
	if err != nil {
		return err
	}
	if t.UserID != v.user.ID {
		return &identity.NotFoundError{What: "token", Name: r.PathValue("id")}
	}
	if err := c.identity.RevokeToken(r.Context(), id); err != nil {
		return err
	}
	return redirect(w, r, "/console/tokens")
}
