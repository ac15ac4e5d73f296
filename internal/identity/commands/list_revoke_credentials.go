package commands

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// listedCredential is one token or key; its secret is not known here.
type listedCredential struct {
	ID         int64         `json:"id"`
	User       string        `json:"user"`
	Kind       identity.Kind `json:"kind"`
	Services   []string      `json:"services"`
	Name       string        `json:"name"`
	CreatedAt  string        `json:"created_at"`
	ExpiresAt  string        `json:"expires_at"`
	LastUsedAt string        `json:"last_used_at"`
}

// listedTokens is the answer of "token list".
type listedTokens struct {
	Tokens []listedCredential `json:"tokens"`
}

// listedKeys is the answer of "key list".
type listedKeys struct {
	Keys []listedCredential `json:"keys"`
}

func (c commands) tokenList() module.Command {
	return module.Command{
		Path: "token list", Short: "list the tokens that are good, the newest of a user first", Flags: userFilter(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			list, err := c.listCredentials(ctx, in.Text("user"), c.tokensOf)
			return listedTokens{list}, err
		},
	}
}

func (c commands) keyList() module.Command {
	return module.Command{
		Path: "key list", Short: "list the keys that are good, the newest of a user first", Flags: userFilter(),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			list, err := c.listCredentials(ctx, in.Text("user"), c.keysOf)
			return listedKeys{list}, err
		},
	}
}

func userFilter() []module.Flag {
	return []module.Flag{{Name: "user", Help: "only those of this user"}}
}

// listCredentials lists those of one user, or of each user in turn.
func (c commands) listCredentials(
	ctx context.Context, name string, of func(context.Context, identity.User) ([]listedCredential, error),
) ([]listedCredential, error) {
	var users []identity.User
	if name != "" {
		u, err := c.user(ctx, name)
		if err != nil {
			return nil, err
		}
		users = []identity.User{u}
	} else {
		var err error
		if users, err = c.identity.Users(ctx, 0, 0); err != nil {
			return nil, err
		}
	}
	list := []listedCredential{}
	for _, u := range users {
		credentials, err := of(ctx, u)
		if err != nil {
			return nil, err
		}
		list = append(list, credentials...)
	}
	return list, nil
}

func (c commands) tokensOf(ctx context.Context, u identity.User) (list []listedCredential, err error) {
	tokens, err := c.identity.TokensOf(ctx, u.ID)
	for _, t := range tokens {
		list = append(list, listedCredential{
			t.ID, u.Name, t.Kind, t.Services, t.Note,
			formatTime(t.CreatedAt), formatTime(t.ExpiresAt), formatTime(t.LastUsedAt),
		})
	}
	return list, err
}

func (c commands) keysOf(ctx context.Context, u identity.User) (list []listedCredential, err error) {
	keys, err := c.identity.KeysOf(ctx, u.ID)
	for _, k := range keys {
		list = append(list, listedCredential{
			k.ID, u.Name, k.Kind, []string{k.Service}, k.Note,
			formatTime(k.CreatedAt), formatTime(k.ExpiresAt), formatTime(k.LastUsedAt),
		})
	}
	return list, err
}

// revokedCredential is the answer of "token revoke" and "key revoke".
type revokedCredential struct {
	ID      int64         `json:"id"`
	Kind    identity.Kind `json:"kind"`
	Name    string        `json:"name"`
	Revoked bool          `json:"revoked"`
}

// revoke ends one token or key, with everything that came from the same grant.
func (c commands) revoke(what string, matches func(identity.Kind) bool) module.Command {
	see := "stoa " + what + " list shows the ids"
	return module.Command{
		Path: what + " revoke", Short: "end a " + what + " at once",
		Args: []module.Arg{{Name: "id", Help: "id, as " + what + " list prints it"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			id, err := strconv.ParseInt(in.Text("id"), 10, 64)
			if err != nil {
				return nil, module.Fail(module.Usage, see, "%q is not an id", in.Text("id"))
			}
			t, err := c.identity.Token(ctx, id)
			if err == nil && !matches(t.Kind) {
				err = &identity.NotFoundError{What: what, Name: in.Text("id")}
			}
			if err != nil {
				return nil, commandError(err, see)
			}
			if err := c.identity.RevokeToken(ctx, id); err != nil {
				return nil, err
			}
			return revokedCredential{id, t.Kind, t.Note, true}, c.identity.RevokeFamily(ctx, t.Family)
		},
	}
}
