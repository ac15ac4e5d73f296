package forge

import "context"

// Import takes over the branches and tags of a repository on this machine, as
// one push of the actor.
func (f *Forge) Import(ctx context.Context, r Repository, folder string, actor Actor) ([]Push, error) {
	return f.Receive(ctx, r, actor, func(ctx context.Context) error {
		return f.runLong(ctx, r, f.git.Path(r.folder), "fetch", "--quiet", "--no-write-fetch-head", "--force", "--",
			folder, "refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*")
	})
}
