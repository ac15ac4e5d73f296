package forge

import (
	"context"

	"stoa.dev/stoa/internal/platform/budget"
)

// Folder is where the bare repository lies.
func (f *Forge) Folder(r Repository) string { return f.git.path(r.folder) }

// Used is how many places for serving clients are held.
func (f *Forge) Used() int64 { return f.git.places.clients.Used() }

// Hold takes one of the places for serving clients.
func (f *Forge) Hold(ctx context.Context) (release func(), err error) {
	p, err := f.git.places.take(ctx, f.git.places.clients, budget.Caller("test"), 1)
	return p.Release, err
}
