package commands

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/module"
)

// decidedGrant is the answer of "grant approve" and "grant deny".
type decidedGrant struct {
	ID     int64    `json:"id"`
	State  string   `json:"state"`
	Client string   `json:"client_id,omitempty"`
	Scopes []string `json:"scopes"`
	User   string   `json:"user"`
}

// grantDecide decides a device flow from a script, as the page does for users.
func (c commands) grantDecide(path, short string, approve bool) module.Command {
	return module.Command{
		Path: path, Short: short,
		Args:  []module.Arg{{Name: "user_code", Help: "code that the device shows, in capital or small letters"}},
		Flags: []module.Flag{{Name: "user", Required: true, Help: "name of the user who decides"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("user"))
			if err != nil {
				return nil, err
			}
			g, err := c.grants.ByUserCode(ctx, strings.ToUpper(strings.TrimSpace(in.Text("user_code"))))
			if err == nil {
				g, err = c.grants.Decide(ctx, g.ID, u.ID, approve)
			}
			if err != nil {
				return nil, grantError(err)
			}
			return decidedGrant{g.ID, string(g.State), g.ClientID, g.Scopes, u.Name}, nil
		},
	}
}

// waitingGrant is a device code that no user has decided about.
type waitingGrant struct {
	ID        int64    `json:"id"`
	State     string   `json:"state"`
	Service   string   `json:"service"`
	Client    string   `json:"client_id,omitempty"`
	Scopes    []string `json:"scopes"`
	ExpiresAt string   `json:"expires_at"`
}

// waitingGrants is the answer of "grant list".
type waitingGrants struct {
	Grants []waitingGrant `json:"grants"`
}

func (c commands) grantList() module.Command {
	return module.Command{
		Path: "grant list", Short: "list the device codes that wait for a user",
		Long:  "The codes themselves are not shown: only their hashes are kept.",
		Flags: []module.Flag{{Name: "limit", Kind: module.Int, Default: "100", Help: "how many at most"}},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			found, err := c.grants.Waiting(ctx, max(in.Int("limit"), 1))
			list := waitingGrants{Grants: []waitingGrant{}}
			for _, g := range found {
				list.Grants = append(list.Grants, waitingGrant{
					g.ID, string(g.State), g.Service, g.ClientID, append([]string{}, g.Scopes...), formatTime(g.ExpiresAt),
				})
			}
			return list, err
		},
	}
}

// grantError says what is wrong with a typed code.
func grantError(err error) error {
	switch {
	case errors.Is(err, grants.ErrUnknown):
		return module.Fail(module.NotFound, "type it as the device shows it, hyphen included",
			"no device shows this code")
	case errors.Is(err, grants.ErrExpired):
		return module.Fail(module.Conflict, "start again on the device", "the code has expired")
	case errors.Is(err, grants.ErrClaimed), errors.Is(err, grants.ErrDenied),
		errors.Is(err, grants.ErrPolicy), errors.Is(err, grants.ErrInternal):
		return module.Fail(module.Conflict, "start again on the device", "the code has been used already")
	}
	return err
}
