package identity

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// MadeClient is the answer of "client add".
type CreatedClient struct {
	Name         string     `json:"name"`
	Type         ClientType `json:"type"`
	ClientID     string     `json:"client_id"`
	ClientSecret string     `json:"client_secret"`
}

// MadeToken is the answer of "token issue".
type IssuedToken struct {
	ID        int64    `json:"id"`
	Token     string   `json:"token"`
	Kind      Kind     `json:"kind"`
	Services  []string `json:"services"`
	Scopes    []string `json:"scopes"`
	ExpiresAt string   `json:"expires_at,omitempty"`
}

// MadeKey is the answer of "key issue".
type IssuedKey struct {
	ID        int64  `json:"id"`
	Key       string `json:"key"`
	Kind      Kind   `json:"kind"`
	Service   string `json:"service"`
	ExpiresAt string `json:"expires_at,omitempty"`
}

func (i *Identity) clientAddCommand() module.Command {
	return module.Command{
		Path: "client add", Short: "add an application",
		Long: "The secret is printed once. A client of type service is a service account.",
		Args: []module.Arg{{Name: "name", Help: "name that consent pages show"}},
		Flags: []module.Flag{
			{Name: "type", Required: true, OneOf: clientTypes(), Help: "type of application"},
			{Name: "redirect", Kind: module.Texts, Help: "address to return to, compared exactly: https, or http on loopback"},
			{Name: "scope", Kind: module.Texts, Help: "what it may ask people for; without it the scopes of the service whose flow it uses"},
			{Name: "org", Help: "organization that owns it"},
			{Name: "internal", Kind: module.Bool, Help: "for members of the organization only"},
			{Name: "owner", Help: "user who manages it"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			n := NewClient{
				Name: in.Text("name"), Type: ClientType(in.Text("type")),
				RedirectURIs: in.Texts("redirect"), Scopes: in.Texts("scope"), Internal: in.Bool("internal"),
			}
			var err error
			if n.OrgID, err = i.orgID(ctx, in.Text("org")); err != nil {
				return nil, err
			}
			if n.OwnerID, err = i.userID(ctx, in.Text("owner")); err != nil {
				return nil, err
			}
			c, secret, err := i.AddClient(ctx, n)
			if err != nil {
				return nil, commandError(err, "see stoa client add --help")
			}
			return CreatedClient{c.Name, c.Type, c.ID, secret}, nil
		},
	}
}

func (i *Identity) tokenIssueCommand() module.Command {
	return module.Command{
		Path: "token issue", Short: "issue a token",
		Long: "The token is printed once. Without --scope it gets every scope of the service; \"*\" leaves out those that only the operator gives. " +
			"Tokens of kind project and workflow belong to a repository, of kind installation to an app client.",
		Flags: []module.Flag{
			{Name: "user", Help: "user the token speaks for; a client of type service or app may stand alone"},
			{Name: "service", Kind: module.Texts, Required: true, Help: "service it is good for, * for all"},
			{Name: "scope", Kind: module.Texts, Help: "what it may do"},
			{Name: "kind", Default: string(KindPersonal), OneOf: []string{
				string(KindPersonal), string(KindProject), string(KindInstallation), string(KindWorkflow),
			}, Help: "kind of token"},
			{Name: "repo", Help: "repository, OWNER/NAME"},
			{Name: "client", Help: "id of the application it is given to"},
			{Name: "team", Help: "team; makes it a team access token"},
			{Name: "name", Help: "what it is for, as token list shows it"},
			{Name: "ttl", Kind: module.Duration, Help: "life, as in 720h; without it the token never expires"},
		},
		Run: i.runTokenIssue,
	}
}

func (i *Identity) runTokenIssue(ctx context.Context, in *module.Input) (any, error) {
	o := IssueOptions{
		Kind: Kind(in.Text("kind")), Services: in.Texts("service"), Scopes: in.Texts("scope"),
		ClientID: in.Text("client"), Repo: in.Text("repo"), Note: in.Text("name"), TTL: in.Duration("ttl"), Operator: true,
	}
	if o.Kind == "" {
		o.Kind = KindPersonal
	}
	if in.Has("ttl") && o.TTL <= 0 {
		return nil, module.Fail(module.Usage, "leave it out for a token that never expires", "--ttl must be more than zero")
	}
	var err error
	if o.UserID, err = i.userID(ctx, in.Text("user")); err != nil {
		return nil, err
	}
	if o.TeamID, err = i.teamID(ctx, in.Text("team")); err != nil {
		return nil, err
	}
	if len(o.Scopes) == 0 {
		o.Scopes = i.defaultScopes(o.Services)
	}
	t, secret, err := i.IssueToken(ctx, o)
	if err != nil {
		return nil, commandError(err, "see stoa token issue --help")
	}
	made := IssuedToken{ID: t.ID, Token: secret, Kind: t.Kind, Services: t.Services, ExpiresAt: formatTime(t.ExpiresAt), Scopes: []string{}}
	for _, s := range t.Scopes {
		made.Scopes = append(made.Scopes, i.Full(s))
	}
	return made, nil
}

// defaultScopes are those of a token for which none were named. Scopes that only
// the operator gives come with their service by name, never with "*".
func (i *Identity) defaultScopes(services []string) (names []string) {
	for _, service := range services {
		for _, s := range i.AllScopes(service) {
			if !s.Operator || service != AllServices {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

func (i *Identity) keyIssueCommand() module.Command {
	return module.Command{
		Path: "key issue", Short: "issue an API or application key",
		Long: "The key is printed once. It is valid for 30 days unless --days or --never says otherwise.",
		Flags: []module.Flag{
			{Name: "user", Required: true, Help: "user the key speaks for"},
			{Name: "service", Required: true, Help: "service it is good for"},
			{Name: "kind", Default: string(KindAPI), OneOf: []string{string(KindAPI), string(KindApplication)}, Help: "kind of key"},
			{Name: "days", Kind: module.Int, Help: "days it is valid"},
			{Name: "never", Kind: module.Bool, Help: "it never expires"},
			{Name: "name", Help: "what it is for, as key list shows it"},
			{Name: "note", Help: "the same as --name"},
			{Name: "team", Help: "team it belongs to"},
		},
		Run: i.runKeyIssue,
	}
}

func (i *Identity) runKeyIssue(ctx context.Context, in *module.Input) (any, error) {
	o := KeyOptions{Service: in.Text("service"), Kind: Kind(in.Text("kind")), Note: in.Text("name"), Days: defaultDays}
	if o.Note == "" {
		o.Note = in.Text("note")
	}
	switch {
	case in.Has("days") && in.Bool("never"):
		return nil, module.Fail(module.Usage, "give one of them", "--days and --never exclude each other")
	case in.Has("days") && in.Int("days") < 1:
		return nil, module.Fail(module.Usage, "use --never for a key that never expires", "--days must be at least 1")
	case in.Has("days"):
		o.Days = in.Int("days")
	case in.Bool("never"):
		o.Days = 0
	}
	var err error
	if o.UserID, err = i.userID(ctx, in.Text("user")); err != nil {
		return nil, err
	}
	if o.TeamID, err = i.teamID(ctx, in.Text("team")); err != nil {
		return nil, err
	}
	k, secret, err := i.IssueKey(ctx, o)
	if err != nil {
		return nil, commandError(err, "see stoa key issue --help")
	}
	return IssuedKey{k.ID, secret, k.Kind, k.Service, formatTime(k.ExpiresAt)}, nil
}

// defaultDays is how long a key is valid when nothing is said.
const defaultDays = 30

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

func clientTypes() []string {
	return []string{string(ClientWeb), string(ClientDevice), string(ClientService), string(ClientApp)}
}
