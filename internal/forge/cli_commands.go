package forge

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/platform/module"
)

// RepositoryInfo is what commands about repositories print.
type RepositoryInfo struct {
	Name    string `json:"name"`
	ID      int64  `json:"id"`
	Private bool   `json:"private"`
	URL     string `json:"url"`
	Branch  string `json:"default_branch"`
}

func (f *Forge) info(ctx context.Context, r Repository) RepositoryInfo {
	return RepositoryInfo{
		Name: r.FullName(), ID: r.ID, Private: r.Private, URL: CloneURL(f.world.URL(ctx), r), Branch: r.DefaultBranch,
	}
}

// CloneURL is the address below a base that git programs use.
func CloneURL(base string, r Repository) string { return base + "/git/" + r.FullName() + ".git" }

// commands is stoa repo.
func (f *Forge) commands() []module.Command {
	repo := module.Arg{Name: "repo", Help: "OWNER/NAME"}
	user := module.Flag{Name: "user", Help: "who does it; the owner when left out"}
	return []module.Command{
		{
			Path: "repo create", Short: "make an empty repository", Args: []module.Arg{repo}, Run: f.runCreate,
			Flags: []module.Flag{
				user,
				{Name: "private", Kind: module.Bool, Help: "hide it from those without permission"},
				{Name: "description", Help: "what it is for"},
			},
		},
		{
			Path: "repo fork", Short: "copy a repository to another owner", Args: []module.Arg{repo}, Run: f.runFork,
			Flags: []module.Flag{
				user,
				{Name: "owner", Required: true, Help: "the user or organization that gets the copy"},
				{Name: "name", Help: "name of the copy; the same when left out"},
			},
		},
		{
			Path: "repo rename", Short: "rename a repository; the old address leads to the new one",
			Args: []module.Arg{repo, {Name: "new", Help: "the new NAME"}}, Flags: []module.Flag{user}, Run: f.runRename,
		},
		{
			Path: "repo star", Short: "star a repository", Args: []module.Arg{repo}, Run: f.runStar,
			Flags: []module.Flag{
				{Name: "user", Required: true, Help: "who stars it"},
				{Name: "remove", Kind: module.Bool, Help: "take the star back"},
			},
		},
		{
			Path: "repo visibility", Short: "make a repository public or private",
			Args:  []module.Arg{repo, {Name: "visibility", Help: "public or private"}},
			Flags: []module.Flag{user}, Run: f.runVisibility,
		},
		{
			Path: "repo member", Short: "give a user a permission on a repository",
			Args: []module.Arg{repo, {Name: "member", Help: "the user"}}, Run: f.runMember,
			Flags: []module.Flag{user, {
				Name: "permission", Default: "write", OneOf: []string{"read", "write", "admin", "none"},
				Help: "none takes it back",
			}},
		},
		{
			Path: "repo install", Short: "limit an app to chosen repositories of its organization",
			Args: []module.Arg{
				{Name: "client", Help: "the app's client id"},
				{Name: "repo", Help: "OWNER/NAME; none means all", Optional: true, Many: true},
			},
			Run: f.runInstall,
		},
		{
			Path: "repo import", Short: "push the branches and tags of a local repository", Run: f.runImport,
			Long: "The repository is made when it does not exist. Branches and tags that are not in the folder stay.",
			Args: []module.Arg{repo, {
				Name: "folder", Help: "a git repository on this machine", File: module.ReadsFolder, Pick: git.SourceParts,
			}},
			Flags: []module.Flag{user, {Name: "private", Kind: module.Bool, Help: "when it is made: hide it"}},
		},
		{
			Path: "repo delete", Short: "delete a repository for ever", Confirm: "repo",
			Args: []module.Arg{repo}, Flags: []module.Flag{user}, Run: f.runDelete,
			Refuse: func(ctx context.Context, in *module.Input) error {
				_, _, err := f.subject(ctx, in, "")
				return err
			},
		},
		{
			Path: "repo list", Short: "list repositories", Run: f.runList,
			Flags: []module.Flag{{Name: "owner", Help: "of this owner only"}},
		},
	}
}

func (f *Forge) runCreate(ctx context.Context, in *module.Input) (any, error) {
	owner, name, ok := strings.Cut(in.Text("repo"), "/")
	if !ok {
		return nil, module.Fail(module.Usage, "write it as OWNER/NAME", "%q names no repository", in.Text("repo"))
	}
	actor, err := f.actor(ctx, in, owner)
	if err != nil {
		return nil, err
	}
	r, err := f.Create(ctx, NewRepository{
		Owner: owner, Name: name, Private: in.Bool("private"), Description: in.Text("description"), Actor: actor,
	})
	if err != nil {
		return nil, commandError(err)
	}
	return f.info(ctx, r), nil
}

func (f *Forge) runFork(ctx context.Context, in *module.Input) (any, error) {
	r, actor, err := f.subject(ctx, in, in.Text("owner"))
	if err != nil {
		return nil, err
	}
	fork, err := f.Fork(ctx, r.ID, in.Text("owner"), in.Text("name"), actor)
	if err != nil {
		return nil, commandError(err)
	}
	return f.info(ctx, fork), nil
}

func (f *Forge) runRename(ctx context.Context, in *module.Input) (any, error) {
	name := in.Text("new")
	if _, after, ok := strings.Cut(name, "/"); ok {
		name = after
	}
	return f.runUpdate(ctx, in, Change{Name: &name})
}

func (f *Forge) runVisibility(ctx context.Context, in *module.Input) (any, error) {
	private := in.Text("visibility") == "private"
	if !private && in.Text("visibility") != "public" {
		return nil, module.Fail(module.Usage, "give public or private", "%q is no visibility", in.Text("visibility"))
	}
	return f.runUpdate(ctx, in, Change{Private: &private})
}

func (f *Forge) runUpdate(ctx context.Context, in *module.Input, c Change) (any, error) {
	r, actor, err := f.subject(ctx, in, "")
	if err != nil {
		return nil, err
	}
	if r, err = f.Update(ctx, r.ID, c, actor); err != nil {
		return nil, commandError(err)
	}
	return f.info(ctx, r), nil
}

func (f *Forge) runStar(ctx context.Context, in *module.Input) (any, error) {
	r, actor, err := f.subject(ctx, in, "")
	if err != nil {
		return nil, err
	}
	if in.Bool("remove") {
		err = f.Unstar(ctx, r.ID, actor.ID)
	} else {
		err = f.Star(ctx, r.ID, actor)
	}
	if err != nil {
		return nil, commandError(err)
	}
	return f.info(ctx, r), nil
}

func (f *Forge) runMember(ctx context.Context, in *module.Input) (any, error) {
	r, actor, err := f.subject(ctx, in, "")
	if err != nil {
		return nil, err
	}
	member, err := f.UserActor(ctx, in.Text("member"))
	if err != nil {
		return nil, commandError(err)
	}
	if in.Text("permission") == "none" {
		err = f.RemoveMember(ctx, r.ID, member.ID)
	} else {
		var p Permission
		if p, err = ParsePermission(in.Text("permission")); err == nil {
			_, err = f.SetMember(ctx, r.ID, member, p, actor)
		}
	}
	if err != nil {
		return nil, commandError(err)
	}
	return f.info(ctx, r), nil
}

func (f *Forge) runInstall(ctx context.Context, in *module.Input) (any, error) {
	client, err := f.identity.Client(ctx, in.Text("client"))
	if err != nil {
		return nil, module.Fail(module.NotFound, "make one with stoa client add NAME --type app --org ORG",
			"client %s: %w", in.Text("client"), err)
	}
	var chosen []int64
	for _, address := range in.Texts("repo") {
		r, _, err := f.FindPath(ctx, address)
		if err != nil {
			return nil, commandError(err)
		}
		if r.Owner.Kind != OwnerOrg || r.Owner.ID != client.OrgID {
			return nil, module.Fail(module.Usage, "stoa repo list --owner ORG shows those that do",
				"%s does not belong to the app's organization", address)
		}
		chosen = append(chosen, r.ID)
	}
	org := Owner{Kind: OwnerOrg, ID: client.OrgID}
	if _, err := f.Install(ctx, client.ID, org, chosen); err != nil {
		return nil, err
	}
	return struct {
		ClientID     string   `json:"client_id"`
		Repositories []string `json:"repositories"`
	}{client.ID, append([]string{}, in.Texts("repo")...)}, nil
}

func (f *Forge) runDelete(ctx context.Context, in *module.Input) (any, error) {
	r, actor, err := f.subject(ctx, in, "")
	if err != nil {
		return nil, err
	}
	if err := f.Delete(ctx, r.ID, actor); err != nil {
		return nil, commandError(err)
	}
	return map[string]any{"name": f.info(ctx, r).Name, "deleted": true}, nil
}

func (f *Forge) runList(ctx context.Context, in *module.Input) (any, error) {
	out := struct {
		Repositories []RepositoryInfo `json:"repositories"`
	}{Repositories: []RepositoryInfo{}}
	list := func(after int64) ([]Repository, error) { return f.AllRepositories(ctx, after, 500) }
	if owner := in.Text("owner"); owner != "" {
		list = func(after int64) ([]Repository, error) {
			if after > 0 {
				return nil, nil
			}
			return f.Repositories(ctx, owner)
		}
	}
	for after := int64(0); ; {
		some, err := list(after)
		if err != nil || len(some) == 0 {
			return out, err
		}
		for _, r := range some {
			out.Repositories = append(out.Repositories, f.info(ctx, r))
			after = max(after, r.ID)
		}
	}
}

// runImport fetches from the folder as if its branches and tags were pushed.
func (f *Forge) runImport(ctx context.Context, in *module.Input) (any, error) {
	owner, _, _ := strings.Cut(in.Text("repo"), "/")
	r, _, err := f.FindPath(ctx, in.Text("repo"))
	if errors.Is(err, ErrNotFound) {
		if _, err := f.runCreate(ctx, in); err != nil {
			return nil, err
		}
		r, _, err = f.FindPath(ctx, in.Text("repo"))
	}
	if err != nil {
		return nil, commandError(err)
	}
	actor, err := f.actor(ctx, in, owner)
	if err != nil {
		return nil, err
	}
	if _, err := f.Import(ctx, r, in.Text("folder"), actor); err != nil {
		return nil, commandError(err)
	}
	if r, err = f.Repository(ctx, r.ID); err != nil {
		return nil, err
	}
	return f.info(ctx, r), nil
}

// subject finds the repository of a command and who acts.
func (f *Forge) subject(ctx context.Context, in *module.Input, fallback string) (Repository, Actor, error) {
	r, _, err := f.FindPath(ctx, in.Text("repo"))
	if err != nil {
		return r, Actor{}, commandError(err)
	}
	if fallback == "" {
		fallback = r.Owner.Name
	}
	actor, err := f.actor(ctx, in, fallback)
	return r, actor, err
}

// actor is the user the operator named, else the owner; for an organization
// one of its owners.
func (f *Forge) actor(ctx context.Context, in *module.Input, owner string) (Actor, error) {
	if in.Has("user") {
		a, err := f.UserActor(ctx, in.Text("user"))
		return a, commandError(err)
	}
	return f.ownerActor(ctx, owner)
}

func (f *Forge) ownerActor(ctx context.Context, name string) (Actor, error) {
	owner, err := f.Owner(ctx, name)
	if err != nil {
		return Actor{}, commandError(err)
	}
	if owner.Kind == OwnerUser {
		return Actor{ID: owner.ID, Name: owner.Name}, nil
	}
	members, err := f.identity.OrgMembers(ctx, owner.ID)
	if err != nil {
		return Actor{}, err
	}
	for _, m := range members {
		if m.Role == "owner" {
			return Actor{ID: m.UserID, Name: m.UserName}, nil
		}
	}
	return Actor{Name: owner.Name}, nil
}

// commandError gives a refusal its exit code.
func commandError(err error) error {
	var own *Error
	if !errors.As(err, &own) {
		return err
	}
	switch own.Code {
	case CodeNotFound:
		return module.Fail(module.NotFound, "stoa repo list shows the repositories there are", "%w", err)
	case CodeTaken:
		return module.Fail(module.Conflict, "choose another name", "%w", err)
	case CodeInvalid, CodeTooLarge:
		return module.Fail(module.Usage, "", "%w", err)
	case CodeForbidden, CodeUnavailable:
	}
	return module.Fail(module.Failed, "", "%w", err)
}
