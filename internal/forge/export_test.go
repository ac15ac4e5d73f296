package forge

import (
	"context"

	"stoa.dev/stoa/internal/platform/budget"
)

// Folder is where the bare repository lies.
func (f *Forge) Folder(r Repository) string { return f.git.Path(r.folder) }

// UsedSlots is how many slots programs for clients have.
func (f *Forge) UsedSlots() int64 { return f.git.ClientSlots() }

// TakeSlot takes one of the slots for programs that serve clients.
func (f *Forge) TakeSlot(ctx context.Context, r Repository) (release func(), err error) {
	s, err := f.git.ReadSlot(ctx, budget.Caller("test"), r.folder)
	return s.Release, err
}
