package forge

import "context"

// Folder is where the bare repository lies.
func (f *Forge) Folder(r Repository) string { return f.git.path(r.folder) }

// Hold takes one of the slots for serving clients.
func (f *Forge) Hold(ctx context.Context) (release func(), err error) { return f.git.hold(ctx) }
