package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

// target is what a reaction is put on: an item, or a comment when it is named.
type target struct{ item, comment string }

// key is what writers of the same thing wait for.
func (t target) key() string {
	if t.comment == "" {
		return itemKey(t.item)
	}
	return commentKey(t.comment)
}

// findTarget gives the numbers of the item and the comment.
func (s Scope) findTarget(ctx context.Context, q database.Querier, t target) (
	item, comment int64, err error,
) {
	if t.comment == "" {
		i, err := s.visibleItem(ctx, q, t.item)
		return i.Number, 0, err
	}
	c, err := s.visibleComment(ctx, q, t.comment)
	return c.Item, c.Number, err
}

// Reactions lists the reactions to an item or a comment.
func (s Scope) Reactions(ctx context.Context, t target, p page.Numbers) (
	[]Reaction, int64, error,
) {
	item, comment, err := s.findTarget(ctx, s.world.DB, t)
	if err != nil {
		return nil, 0, err
	}
	return authored(listReactions(ctx, s.world.DB, item, comment, p))(ctx, s)
}

// CreateReaction puts the caller's emoji on an item or a comment; twice is once.
func (s Scope) CreateReaction(ctx context.Context, t target, name string) (Reaction, error) {
	if s.markdown.Emoji(name) == "" {
		return Reaction{}, errInvalid("name must be the name of an emoji, such as heart")
	}
	x := Reaction{author: author{UserID: s.userID()}, Name: name, CreatedAt: s.now()}
	err := s.changeReaction(ctx, t, &x, 1, insertReaction)
	if err != nil {
		return x, err
	}
	x.User, err = s.user(ctx, x.UserID)
	return x, err
}

// DeleteReaction takes the caller's emoji away.
func (s Scope) DeleteReaction(ctx context.Context, t target, name string) error {
	x := Reaction{author: author{UserID: s.userID()}, Name: name}
	return s.changeReaction(ctx, t, &x, -1, func(ctx context.Context, q database.Querier, x *Reaction) (int64, error) {
		n, err := deleteReaction(ctx, q, x)
		if err == nil && n == 0 {
			return 0, errNotFound()
		}
		return n, err
	})
}

// changeReaction counts the rows that were changed; an item counts its own reactions
// only.
func (s Scope) changeReaction(ctx context.Context, t target, x *Reaction, by int64,
	change func(context.Context, database.Querier, *Reaction) (rows int64, err error),
) error {
	return orGone(s.world.DB.WriteKeyed(ctx, t.key(), func(ctx context.Context, tx *database.Tx) (err error) {
		if x.Item, x.Comment, err = s.findTarget(ctx, tx, t); err != nil {
			return err
		}
		n, err := change(ctx, tx, x)
		if err != nil || x.Comment != 0 || n == 0 {
			return err
		}
		s.cache.ForgetItems(tx, x.Item)
		return addToCount(ctx, tx, countReactions, by*n, x.Item)
	}))
}
