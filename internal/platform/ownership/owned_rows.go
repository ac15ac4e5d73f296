package ownership

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// Kind says what an owner is.
type Kind string

// The kinds of owners.
const (
	User Kind = "user"
	Org  Kind = "organization"
	Team Kind = "team"
)

// Owner is a user, an organization or a team.
type Owner struct {
	Kind Kind
	ID   int64
	Name string
}

// Effect is what rows mean for the removal of their owner.
type Effect string

// The effects.
const (
	// Blocks refuses the removal while there are such rows.
	Blocks Effect = "blocks"
	// Mentions are history that stays, and that keeps the owner's name from others.
	Mentions Effect = "mentions"
	// Deleted rows go with the owner.
	Deleted Effect = "deleted"
)

// Rows are some rows of a module that name an owner.
type Rows struct {
	Of     Kind
	Effect Effect
	// What is their name in messages, in the plural. Deleted rows need no name.
	What string
	// SQL counts them, or deletes them where that is the effect. $1 is the owner.
	SQL string
	// Remove is the command that removes one of them, empty where only requests do.
	Remove string
	// Key is $1; nil means the owner's id.
	Key func(Owner) any
}

// Held is a number of things that an owner has.
type Held struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// Count lists what the owner has of an effect, in the order of the list.
func Count(ctx context.Context, q database.Querier, list []Rows, o Owner, effect Effect) ([]Held, error) {
	held := []Held{}
	for _, r := range list {
		if r.Of != o.Kind || r.Effect != effect {
			continue
		}
		var n int64
		if err := q.QueryRow(ctx, r.SQL, r.key(o)).Scan(&n); err != nil {
			return nil, err
		}
		if n > 0 {
			held = append(held, Held{r.What, n})
		}
	}
	return held, nil
}

// Delete deletes the rows that go with the owner, in the order of the list.
func Delete(ctx context.Context, q database.Querier, list []Rows, o Owner) error {
	for _, r := range list {
		if r.Of != o.Kind || r.Effect != Deleted {
			continue
		}
		if _, err := q.Exec(ctx, r.SQL, r.key(o)); err != nil {
			return err
		}
	}
	return nil
}

func (r Rows) key(o Owner) any {
	if r.Key == nil {
		return o.ID
	}
	return r.Key(o)
}
