package commands

import (
	"context"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// defaultDays is how long a key is valid when nothing is said.
const defaultDays = 30

// issuedKey is the answer of "key issue".
type issuedKey struct {
	ID        int64         `json:"id"`
	Key       string        `json:"key"`
	Kind      identity.Kind `json:"kind"`
	Service   string        `json:"service"`
	ExpiresAt string        `json:"expires_at,omitempty"`
}

func (c commands) keyIssue() module.Command {
	return module.Command{
		Path: "key issue", Short: "issue an API or application key",
		Long: "The key is printed once. It is valid for 30 days unless --days or --never says otherwise.",
		Flags: []module.Flag{
			{Name: "user", Required: true, Help: "user the key speaks for"},
			{Name: "service", Required: true, Help: "service it is good for"},
			{Name: "kind", Default: string(identity.KindAPI), OneOf: []string{
				string(identity.KindAPI), string(identity.KindApplication),
			}, Help: "kind of key"},
			{Name: "any-kind", Kind: module.Bool,
				Help: "issue it although the service refuses its kind, to see how a client takes that"},
			{Name: "days", Kind: module.Int, Help: "days it is valid"},
			{Name: "never", Kind: module.Bool, Help: "it never expires"},
			{Name: "name", Help: "what it is for, as key list shows it"},
			{Name: "note", Help: "the same as --name"},
			{Name: "team", Help: "team it belongs to"},
		},
		Run: c.runKeyIssue,
	}
}

func (c commands) runKeyIssue(ctx context.Context, in *module.Input) (any, error) {
	o := identity.KeyOptions{
		Service: in.Text("service"), Kind: identity.Kind(in.Text("kind")), Note: in.Text("name"), Days: defaultDays,
	}
	if o.Kind == "" {
		o.Kind = identity.KindAPI
	}
	if err := c.checkKind(in, o.Kind, o.Service); err != nil {
		return nil, err
	}
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
	if o.UserID, err = c.userID(ctx, in.Text("user")); err != nil {
		return nil, err
	}
	if o.TeamID, err = c.teamID(ctx, in.Text("team")); err != nil {
		return nil, err
	}
	k, secret, err := c.identity.IssueKey(ctx, o)
	if err != nil {
		return nil, commandError(err, "see stoa key issue --help")
	}
	return issuedKey{k.ID, secret, k.Kind, k.Service, formatTime(k.ExpiresAt)}, nil
}
