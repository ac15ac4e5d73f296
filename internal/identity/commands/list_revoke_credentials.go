package commands

import (
	"context"
	"math"
	"slices"
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
		Path: "token list", Short: "list the tokens that are good, the newest of a user first",
		Long: pagesByID, Flags: append(pageFlags("the token with this id"), userFilter()),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			list, err := c.listCredentials(ctx, in, tokenKinds(), c.tokensOf)
			return listedTokens{list}, err
		},
	}
}

func (c commands) keyList() module.Command {
	return module.Command{
		Path: "key list", Short: "list the keys that are good, the newest of a user first",
		Long: pagesByID, Flags: append(pageFlags("the key with this id"), userFilter()),
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			list, err := c.listCredentials(ctx, in, keyKinds(), c.keysOf)
			return listedKeys{list}, err
		},
	}
}

const pagesByID = "With --limit the newest of all users come first, so that a page takes as long " +
	"in a list of a million."

// tokenKinds are those that a user sees as tokens, keyKinds those that are keys.
func tokenKinds() []identity.Kind {
	return []identity.Kind{
		identity.KindAccess, identity.KindPersonal, identity.KindProject, identity.KindInstallation, identity.KindWorkflow,
		identity.KindClient, identity.KindApp,
	}
}

func keyKinds() []identity.Kind { return []identity.Kind{identity.KindAPI, identity.KindApplication} }

// credentialShow shows one token or key.
func (c commands) credentialShow(what string, kinds []identity.Kind) module.Command {
	return module.Command{
		Path: what + " show", Short: "show a " + what,
		Args: []module.Arg{{Name: "id", Help: "id, as " + what + " list prints it"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			see := "stoa " + what + " list shows the ids"
			id, err := strconv.ParseInt(in.Text("id"), 10, 64)
			if err != nil {
				return nil, module.Fail(module.Usage, see, "%q is not an id", in.Text("id"))
			}
			t, err := c.identity.Token(ctx, id)
			if err == nil && (!slices.Contains(kinds, t.Kind) || t.UserID == 0) {
				err = &identity.NotFoundError{What: what, Name: in.Text("id")}
			}
			if err != nil {
				return nil, commandError(err, see)
			}
			u, err := c.identity.User(ctx, t.UserID)
			return toListed(t, u.Name), err
		},
	}
}

func userFilter() module.Flag { return module.Flag{Name: "user", Help: "only those of this user"} }

// listCredentials lists those of one user, a page of all, or those of each user in turn.
func (c commands) listCredentials(
	ctx context.Context, in *module.Input, kinds []identity.Kind,
	of func(context.Context, identity.User) ([]listedCredential, error),
) ([]listedCredential, error) {
	before := int64(math.MaxInt64)
	if text := in.Text("after"); text != "" {
		var err error
		if before, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, module.Fail(module.Usage, "leave it out for the first page", "%q is not an id", text)
		}
	}
	if in.Text("user") == "" && in.Int("limit") > 0 {
		return c.credentialPage(ctx, kinds, before, in.Int("limit"))
	}
	users, err := c.usersNamed(ctx, in.Text("user"))
	if err != nil {
		return nil, err
	}
	list := []listedCredential{}
	for _, u := range users {
		credentials, err := of(ctx, u)
		if err != nil {
			return nil, err
		}
		list = append(list, credentials...)
	}
	list = slices.DeleteFunc(list, func(l listedCredential) bool { return l.ID >= before })
	if n := in.Int("limit"); n > 0 {
		list = list[:min(n, len(list))]
	}
	return list, nil
}

// usersNamed is the user of the name, or all without one.
func (c commands) usersNamed(ctx context.Context, name string) ([]identity.User, error) {
	if name == "" {
		return c.identity.Users(ctx, 0, 0)
	}
	u, err := c.user(ctx, name)
	return []identity.User{u}, err
}

// credentialPage is a page of those of all users.
func (c commands) credentialPage(
	ctx context.Context, kinds []identity.Kind, before int64, limit int,
) ([]listedCredential, error) {
	tokens, err := c.identity.CredentialsBefore(ctx, kinds, before, limit)
	if err != nil {
		return nil, err
	}
	owners := make([]int64, 0, len(tokens))
	for _, t := range tokens {
		owners = append(owners, t.UserID)
	}
	users, err := c.identity.UsersByID(ctx, owners)
	if err != nil {
		return nil, err
	}
	names := map[int64]string{}
	for _, u := range users {
		names[u.ID] = u.Name
	}
	list := make([]listedCredential, 0, len(tokens))
	for _, t := range tokens {
		list = append(list, toListed(t, names[t.UserID]))
	}
	return list, nil
}

func toListed(t identity.Token, user string) listedCredential {
	return listedCredential{
		t.ID, user, t.Kind, t.Services, t.Note, formatTime(t.CreatedAt), formatTime(t.ExpiresAt), formatTime(t.LastUsedAt),
	}
}

func (c commands) tokensOf(ctx context.Context, u identity.User) (list []listedCredential, err error) {
	tokens, err := c.identity.TokensOf(ctx, u.ID)
	for _, t := range tokens {
		list = append(list, toListed(t, u.Name))
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
			return revokedCredential{id, t.Kind, t.Note, true}, nil
		},
	}
}
