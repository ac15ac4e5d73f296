package forge

import (
	"context"
	"errors"
	"slices"

	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/identity"
)

// Owner finds the user or organization of a name.
func (f *Forge) Owner(ctx context.Context, name string) (Owner, error) {
	org, err := f.identity.OrgByName(ctx, name)
	if err == nil {
		return Owner{Kind: OwnerOrg, ID: org.ID, Name: org.Name}, nil
	}
	if !errors.Is(err, identity.ErrNotFound) {
		return Owner{}, err
	}
	user, err := f.identity.UserByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return Owner{}, refusal.NotFound("owner", name)
	}
	return Owner{Kind: OwnerUser, ID: user.ID, Name: user.Name}, err
}

// UserActor is a user as an actor.
func (f *Forge) UserActor(ctx context.Context, name string) (Actor, error) {
	user, err := f.identity.UserByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return Actor{}, refusal.NotFound("user", name)
	}
	return Actor{ID: user.ID, Name: user.Name}, err
}

// ActorOf is who a caller acts as: the user, or the application itself.
func ActorOf(c *identity.Caller) Actor {
	switch {
	case c == nil:
		return Actor{}
	case c.UserID != 0:
		return Actor{ID: c.UserID, Name: c.UserName}
	case c.Bot.Name != "":
		return Actor{ID: c.Bot.ID, Name: c.Bot.Name}
	}
	return TokenActor(c.Kind)
}

// TokenActor is whom tokens of a kind act as that stand for no user and no app.
func TokenActor(kind identity.Kind) Actor {
	kinds := []identity.Kind{identity.KindWorkflow, identity.KindProject, identity.KindInstallation}
	return Actor{ID: BotIDs + 1 + int64(slices.Index(kinds, kind)+1), Name: string(kind) + "[bot]"}
}
