package articles

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"stoa.dev/stoa/internal/platform/database"
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

// find gives the numbers of the item and the comment.
func (s *Service) find(ctx context.Context, q database.Querier, v Visit, t target) (item, comment int64, err error) {
	if t.comment == "" {
		i, err := s.see(ctx, q, v, t.item)
		return i.Number, 0, err
	}
	c, err := s.seeComment(ctx, q, v, t.comment)
	return c.Item, c.Number, err
}

// emojiURL is a picture that needs no server: the character drawn as text.
func (s *Service) emojiURL(name string) string {
	return "data:image/svg+xml," + url.PathEscape(fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><text y="16" font-size="16">%s</text></svg>`, s.markdown.Emoji(name)))
}

// React puts the caller's emoji on an item or a comment; twice is once.
func (s *Service) React(ctx context.Context, v Visit, t target, name string) (Reaction, error) {
	if s.markdown.Emoji(name) == "" {
		return Reaction{}, errBad("name must be the name of an emoji, such as heart")
	}
	x := Reaction{UserID: v.userID(), Name: name, CreatedAt: s.now()}
	err := s.changeReaction(ctx, v, t, &x, 1, s.store.insertReaction)
	return x, err
}

// Unreact takes the caller's emoji away.
func (s *Service) Unreact(ctx context.Context, v Visit, t target, name string) error {
	return s.changeReaction(ctx, v, t, &Reaction{UserID: v.userID(), Name: name}, -1, func(ctx context.Context, q database.Querier, x *Reaction) (int64, error) {
		n, err := s.store.deleteReaction(ctx, q, x)
		if err == nil && n == 0 {
			return 0, errNotFound()
		}
		return n, err
	})
}

// changeReaction counts what act did; an item counts its own reactions only.
func (s *Service) changeReaction(ctx context.Context, v Visit, t target, x *Reaction, by int64,
	act func(context.Context, database.Querier, *Reaction) (int64, error),
) error {
	err := s.world.DB.WriteKeyed(ctx, t.key(), func(ctx context.Context, tx *database.Tx) (err error) {
		if x.Item, x.Comment, err = s.find(ctx, tx, v, t); err != nil {
			return err
		}
		n, err := act(ctx, tx, x)
		if err != nil || x.Comment != 0 || n == 0 {
			return err
		}
		s.shelf.forget(tx, change{items: []int64{x.Item}})
		return s.store.count(ctx, tx, countReactions, by*n, x.Item)
	})
	if errors.Is(err, database.ErrForeignKey) {
		// The item of the comment was deleted meanwhile.
		return errNotFound()
	}
	return err
}
