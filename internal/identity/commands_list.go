package identity

import (
	"context"
	"strconv"

	"stoa.dev/stoa/internal/platform/module"
)

// ListedTokens is the answer of "token list".
type ListedTokens struct {
	Tokens []ListedCredential `json:"tokens"`
}

// ListedKeys is the answer of "key list".
type ListedKeys struct {
	Keys []ListedCredential `json:"keys"`
}

// ListedCredential is one token or key; its secret is not known here.
type ListedCredential struct {
	ID         int64    `json:"id"`
	User       string   `json:"user"`
	Kind       Kind     `json:"kind"`
	Services   []string `json:"services"`
	Name       string   `json:"name"`
	CreatedAt  string   `json:"created_at"`
	ExpiresAt  string   `json:"expires_at"`
	LastUsedAt string   `json:"last_used_at"`
}

// RevokedCredential is the answer of "token revoke" and "key revoke".
type RevokedCredential struct {
	ID      int64  `json:"id"`
	Kind    Kind   `json:"kind"`
	Name    string `json:"name"`
	Revoked bool   `json:"revoked"`
}

// listCommands show and end what was issued.
func (i *Identity) listCommands() []module.Command {
	user := []module.Flag{{Name: "user", Help: "only those of this user"}}
	return []module.Command{
		{
			Path: "token list", Short: "list the tokens that are good, the newest of a user first", Flags: user,
			Run: func(ctx context.Context, in *module.Input) (any, error) {
				list, err := i.listCredentials(ctx, in.Text("user"), i.listTokens)
				return ListedTokens{list}, err
			},
		},
		{
			Path: "key list", Short: "list the keys that are good, the newest of a user first", Flags: user,
			Run: func(ctx context.Context, in *module.Input) (any, error) {
				list, err := i.listCredentials(ctx, in.Text("user"), i.listKeys)
				return ListedKeys{list}, err
			},
		},
		i.revokeCommand("token", func(k Kind) bool { return !isKey(k) }),
		i.revokeCommand("key", isKey),
	}
}

func isKey(k Kind) bool { return k == KindAPI || k == KindApplication }

// listCredentials asks for one user, or for each user in turn.
func (i *Identity) listCredentials(ctx context.Context, name string, of func(context.Context, User) ([]ListedCredential, error)) ([]ListedCredential, error) {
	var users []User
	if name != "" {
		u, err := i.UserByName(ctx, name)
		if err != nil {
			return nil, commandError(err, "stoa user list shows the users there are")
		}
		users = []User{u}
	} else {
		var err error
		if users, err = i.Users(ctx, 0, 0); err != nil {
			return nil, err
		}
	}
	list := []ListedCredential{}
	for _, u := range users {
		held, err := of(ctx, u)
		if err != nil {
			return nil, err
		}
		list = append(list, held...)
	}
	return list, nil
}

func (i *Identity) listTokens(ctx context.Context, u User) (list []ListedCredential, err error) {
	tokens, err := i.TokensOf(ctx, u.ID)
	for _, t := range tokens {
		list = append(list, ListedCredential{
			t.ID, u.Name, t.Kind, t.Services, t.Note, formatTime(t.CreatedAt), formatTime(t.ExpiresAt), formatTime(t.LastUsedAt),
		})
	}
	return list, err
}

func (i *Identity) listKeys(ctx context.Context, u User) (list []ListedCredential, err error) {
	keys, err := i.KeysOf(ctx, u.ID)
	for _, k := range keys {
		list = append(list, ListedCredential{
			k.ID, u.Name, k.Kind, []string{k.Service}, k.Note, formatTime(k.CreatedAt), formatTime(k.ExpiresAt), formatTime(k.LastUsedAt),
		})
	}
	return list, err
}

// revokeCommand ends one credential of the sort, with everything that came
// from the same grant.
func (i *Identity) revokeCommand(what string, sort func(Kind) bool) module.Command {
	see := "stoa " + what + " list shows the ids"
	return module.Command{
		Path: what + " revoke", Short: "end a " + what + " at once",
		Args: []module.Arg{{Name: "id", Help: "id, as " + what + " list prints it"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			id, err := strconv.ParseInt(in.Text("id"), 10, 64)
			if err != nil {
				return nil, module.Fail(module.Usage, see, "%q is not an id", in.Text("id"))
			}
			t, err := i.Token(ctx, id)
			if err == nil && !sort(t.Kind) {
				err = &NotFoundError{what, in.Text("id")}
			}
			if err != nil {
				return nil, commandError(err, see)
			}
			if err := i.RevokeToken(ctx, id); err != nil {
				return nil, err
			}
			return RevokedCredential{id, t.Kind, t.Note, true}, i.RevokeFamily(ctx, t.Family)
		},
	}
}
