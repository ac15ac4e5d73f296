package commands

import (
	"context"
	"errors"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// issuedToken is the answer of "token issue".
type issuedToken struct {
	ID        int64         `json:"id"`
	Token     string        `json:"token"`
	Kind      identity.Kind `json:"kind"`
	Services  []string      `json:"services"`
	Scopes    []string      `json:"scopes"`
	ExpiresAt string        `json:"expires_at,omitempty"`
}

func (c commands) tokenIssue() module.Command {
	return module.Command{
		Path: "token issue", Short: "issue a token",
		Alone: "token",
		Long: "The token is printed once, in a pipe it alone. Without --scope it gets every scope of the service; " +
			"\"*\" leaves out those that only the operator gives. " +
			"Tokens of kind project and workflow belong to a repository, of kind installation to an app client.",
		Flags: []module.Flag{
			{Name: "user", Help: "user the token speaks for; a client of type service or app needs none"},
			{Name: "service", Kind: module.Texts, Required: true, Help: "service it is good for, * for all"},
			{Name: "scope", Kind: module.Texts, Help: "what it may do"},
			{Name: "kind", Default: string(identity.KindPersonal), OneOf: []string{
				string(identity.KindPersonal), string(identity.KindProject), string(identity.KindInstallation),
				string(identity.KindWorkflow),
			}, Help: "kind of token"},
			{Name: "any-kind", Kind: module.Bool,
				Help: "issue it although the service refuses its kind, to see how a client takes that"},
			{Name: "repo", Help: "repository, OWNER/NAME"},
			{Name: "client", Help: "id of the application it is given to"},
			{Name: "team", Help: "team; makes it a team access token"},
			{Name: "name", Help: "what it is for, as token list shows it"},
			{Name: "ttl", Kind: module.Duration, Help: "life, as in 720h; without it the token never expires"},
		},
		Run: c.runTokenIssue,
	}
}

func (c commands) runTokenIssue(ctx context.Context, in *module.Input) (any, error) {
	o := identity.IssueOptions{
		Kind: identity.Kind(in.Text("kind")), Services: in.Texts("service"), Scopes: in.Texts("scope"),
		ClientID: in.Text("client"), Repo: in.Text("repo"), Note: in.Text("name"), TTL: in.Duration("ttl"),
		Operator: true,
	}
	if o.Kind == "" {
		o.Kind = identity.KindPersonal
	}
	if err := c.checkKind(in, o.Kind, o.Services...); err != nil {
		return nil, err
	}
	if in.Has("ttl") && o.TTL <= 0 {
		return nil, module.Fail(module.Usage, "leave it out for a token that never expires",
			"--ttl must be more than zero")
	}
	var err error
	if o.UserID, err = c.userID(ctx, in.Text("user")); err != nil {
		return nil, err
	}
	if o.TeamID, err = c.teamID(ctx, in.Text("team")); err != nil {
		return nil, err
	}
	if len(o.Scopes) == 0 {
		o.Scopes = c.defaultScopes(o.Services)
	}
	t, secret, err := c.identity.IssueToken(ctx, o)
	if err != nil {
		return nil, commandError(err, c.tokenHint(err, o))
	}
	issued := issuedToken{t.ID, secret, t.Kind, t.Services, []string{}, formatTime(t.ExpiresAt)}
	for _, s := range t.Scopes {
		issued.Scopes = append(issued.Scopes, c.identity.Full(ctx, s))
	}
	return issued, nil
}

// tokenHint says what may be given for what was refused: the services where one is unknown,
// their scopes where one is, else the flag.
func (c commands) tokenHint(err error, o identity.IssueOptions) string {
	known := c.identity.Services()
	for _, service := range o.Services {
		if service != identity.AllServices && !slices.Contains(known, service) {
			return "services are " + strings.Join(known, ", ") + ", and * for all"
		}
	}
	invalid := &identity.InvalidError{}
	errors.As(err, &invalid)
	switch invalid.Field {
	case "user", "client", "repo":
		return "name one with --" + invalid.Field + "; see stoa token issue --help"
	case "scope":
	default:
		return "see stoa token issue --help"
	}
	var names []string
	for _, service := range o.Services {
		for _, s := range c.identity.AllScopes(service) {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return "scopes of " + strings.Join(o.Services, ", ") + " are " + strings.Join(names, ", ")
}

// defaultScopes are those of a token for which none were named. Scopes that only
// the operator gives come with their service by name, never with "*".
func (c commands) defaultScopes(services []string) (names []string) {
	for _, service := range services {
		for _, s := range c.identity.AllScopes(service) {
			if !s.Operator || service != identity.AllServices {
				names = append(names, s.Name)
			}
		}
	}
	return names
}
