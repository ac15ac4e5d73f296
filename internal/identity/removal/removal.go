package removal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ownership"
)

// OwnsError refuses a removal and names what is in the way.
type OwnsError struct {
	Owner ownership.Owner
	Held  []ownership.Held
	// Remove are the commands that remove some of it.
	Remove []string
}

// Error names what still belongs to the owner.
func (e *OwnsError) Error() string {
	parts := make([]string, len(e.Held))
	for n, h := range e.Held {
		parts[n] = fmt.Sprintf("%s (%d)", h.What, h.Count)
	}
	return fmt.Sprintf("the %s %q still has %s", e.Owner.Kind, e.Owner.Name, strings.Join(parts, ", "))
}

// Result says what became of the removed one's name.
type Result struct {
	// NameKept means that the name is not given to others, because of Mentions.
	NameKept bool
	Mentions []ownership.Held
}

// Remover removes who owns nothing any more.
type Remover struct {
	identity *identity.Identity
	db       *database.DB
	owned    []ownership.Rows
}

// New makes a Remover that knows what modules say is owned. The database may be nil
// where nothing is removed.
func New(i *identity.Identity, db *database.DB, rows []ownership.Rows) *Remover {
	return &Remover{identity: i, db: db, owned: append(owned(), rows...)}
}

// commands are those that remove what is in the way, where there are any.
func (r *Remover) commands(o ownership.Owner, held []ownership.Held) (list []string) {
	for _, rows := range r.owned {
		inTheWay := slices.ContainsFunc(held, func(h ownership.Held) bool { return h.What == rows.What })
		if inTheWay && rows.Of == o.Kind && rows.Remove != "" {
			list = append(list, rows.Remove)
		}
	}
	return list
}

// clear refuses while the owner has something, deletes what goes with it, and says who
// mentions it.
func (r *Remover) clear(ctx context.Context, tx *database.Tx, o ownership.Owner) (Result, error) {
	held, err := ownership.Count(ctx, tx, r.owned, o, ownership.Blocks)
	if err != nil {
		return Result{}, err
	}
	if len(held) > 0 {
		return Result{}, &OwnsError{o, held, r.commands(o, held)}
	}
	if err := ownership.Delete(ctx, tx, r.owned, o); err != nil {
		return Result{}, err
	}
	mentions, err := ownership.Count(ctx, tx, r.owned, o, ownership.Mentions)
	return Result{NameKept: len(mentions) > 0, Mentions: mentions}, err
}
