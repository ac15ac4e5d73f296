package profiles

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// FindUser finds a user by name.
type FindUser func(ctx context.Context, name string) (identity.User, error)

// Group describes the commands.
func Group() module.CommandGroup {
	return module.CommandGroup{Name: "author", Short: "Show and change what authors of articles say of themselves"}
}

// Commands show and change profiles.
func (p *Profiles) Commands(find FindUser) []module.Command {
	user := []module.Arg{{Name: "user", Help: "name of the user"}}
	set := module.Command{
		Path: "author set", Short: "Change a user's profile", Args: user, Changes: true,
		Long: "Changes the members that are named; an empty text removes one.",
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			change := map[string]*string{}
			for _, name := range Names() {
				if text := in.Text(flag(name)); in.Has(flag(name)) {
					change[name] = &text
				}
			}
			return p.run(ctx, find, in, change)
		},
	}
	for _, name := range Names() {
		set.Flags = append(set.Flags, module.Flag{Name: flag(name), Help: "the member " + name})
	}
	return []module.Command{set, {
		Path: "author show", Short: "Show a user's profile", Args: user,
		Run: func(ctx context.Context, in *module.Input) (any, error) { return p.run(ctx, find, in, nil) },
	}}
}

func flag(member string) string { return strings.ReplaceAll(member, "_", "-") }

// run changes a profile, or nothing, and shows it.
func (p *Profiles) run(ctx context.Context, find FindUser, in *module.Input, change map[string]*string) (any, error) {
	u, err := find(ctx, in.Text("user"))
	if errors.Is(err, identity.ErrNotFound) {
		return nil, module.Fail(module.NotFound, "see stoa user list", "there is no user %s", in.Text("user"))
	}
	if err != nil {
		return nil, err
	}
	out, err := p.Set(ctx, u.ID, change)
	var refused *refusal.Error
	if errors.As(err, &refused) {
		return nil, module.Fail(module.Usage, "", "%s", refused.Message)
	}
	if err != nil {
		return nil, err
	}
	shown := map[string]string{"user": u.Name}
	for n, name := range Names() {
		shown[name] = out[n]
	}
	return shown, nil
}
