package commands

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/identity/removal"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/ownership"
)

// removed is the answer of "user remove", "org remove" and "team remove".
type removed struct {
	Name    string `json:"name"`
	Removed bool   `json:"removed"`
	// NameKept means that no other user or organization gets the name, because of Mentions.
	NameKept bool             `json:"name_kept"`
	Mentions []ownership.Held `json:"mentions,omitempty"`
}

const nameKeptHelp = "Where history mentions it, the name is not given to another afterwards."

func (c commands) userRemove() module.Command {
	return module.Command{
		Path: "user remove", Short: "remove a user who owns nothing any more", Args: userArg(),
		Long: "Sessions, tokens, keys, grants and memberships end at once. It is refused while something belongs to the " +
			"user, and for the last administrator; stoa user disable refuses everything and keeps what there is. " +
			nameKeptHelp,
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := c.user(ctx, in.Text("name"))
			if err != nil {
				return nil, err
			}
			done, err := c.removal.User(ctx, u)
			if err != nil {
				return nil, removalError(err, "delete it as "+u.Name+" first, or use stoa user disable "+u.Name+
					": stoa client list --owner "+u.Name+" has the applications")
			}
			return removed{u.Name, true, done.NameKept, done.Mentions}, nil
		},
	}
}

func (c commands) orgRemove() module.Command {
	return module.Command{
		Path: "org remove", Short: "remove an organization that owns nothing any more",
		Args: []module.Arg{{Name: "org", Help: "organization"}},
		Long: "Its memberships, policies and credentials end at once. It is refused while something belongs to it. " +
			nameKeptHelp,
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			o, err := c.org(ctx, in.Text("org"))
			if err != nil {
				return nil, err
			}
			done, err := c.removal.Org(ctx, o)
			if err != nil {
				return nil, removalError(err, "delete it, or move it to another owner, first: stoa org show "+o.Name+
					" has the applications")
			}
			return removed{o.Name, true, done.NameKept, done.Mentions}, nil
		},
	}
}

func (c commands) teamRemove() module.Command {
	return module.Command{
		Path: "team remove", Short: "remove a team that owns nothing any more", Args: []module.Arg{teamArg()},
		Long: "Its memberships, and the tokens and keys for it, end at once. It is refused while something belongs to it.",
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			t, err := c.team(ctx, in)
			if err != nil {
				return nil, err
			}
			if err := c.removal.Team(ctx, t); err != nil {
				return nil, removalError(err, "delete it first, or use stoa team set "+t.Name+" --active no")
			}
			return removed{Name: t.Name, Removed: true}, nil
		},
	}
}

// removalError is a conflict where something is in the way.
func removalError(err error, next string) error {
	var owns *removal.OwnsError
	switch {
	case errors.As(err, &owns):
		if len(owns.Remove) > 0 {
			next += "; " + strings.Join(owns.Remove, ", ")
		}
		return module.Fail(module.Conflict, next, "%w", err)
	}
	return commandError(err, "it was removed meanwhile")
}
