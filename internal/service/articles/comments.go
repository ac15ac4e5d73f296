package articles

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/pictures"
)

// renderComment checks a comment and renders it.
func (s Scope) renderComment(ctx context.Context, body string) (string, error) {
	if strings.TrimSpace(body) == "" {
		return "", errInvalid("body is missing")
	}
	if len(body) > maxComment {
		return "", errInvalid("body must have at most %d bytes", maxComment)
	}
	return s.markdown.Render(ctx, s.owner(), body)
}

// CreateComment comments on an item that the caller may see.
func (s Scope) CreateComment(ctx context.Context, itemID, body string) (Comment, error) {
	rendered, err := s.renderComment(ctx, body)
	if err != nil {
		return Comment{}, err
	}
	now := s.now()
	c := Comment{
		author: author{UserID: s.userID()}, ID: s.world.IDs.Hex(20), Body: body, Rendered: rendered,
		CreatedAt: now, UpdatedAt: now,
	}
	err = s.world.DB.WriteKeyed(ctx, itemKey(itemID), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.visibleItem(ctx, tx, itemID)
		if err != nil {
			return err
		}
		c.Item = i.Number
		s.cache.ForgetItems(tx, i.Number)
		if err := insertComment(ctx, tx, c); err != nil {
			return err
		}
		return addToCount(ctx, tx, countComments, 1, i.Number)
	})
	if err != nil {
		return Comment{}, err
	}
	return s.withAuthor(ctx, c)
}

func (s *Service) withAuthor(ctx context.Context, c Comment) (_ Comment, err error) {
	c.User, err = s.user(ctx, c.UserID)
	c.Rendered = pictures.Absolute(c.Rendered, s.world.URL(ctx))
	return c, err
}

// Comment finds a comment on an item that the caller may see.
func (s Scope) Comment(ctx context.Context, id string) (Comment, error) {
	c, err := s.visibleComment(ctx, s.world.DB, id)
	if err != nil {
		return c, err
	}
	return s.withAuthor(ctx, c)
}

// Comments lists the comments on an item, the newest first.
func (s Scope) Comments(ctx context.Context, itemID string, p page.Numbers) ([]Comment, int64, error) {
	list, total, err := s.pageComments(ctx, itemID, p)
	for n := range list {
		list[n].Rendered = pictures.Absolute(list[n].Rendered, s.world.URL(ctx))
	}
	return list, total, err
}

// pageComments are Comments for a page, whose pictures are at paths as its links are.
func (s Scope) pageComments(ctx context.Context, itemID string, p page.Numbers) ([]Comment, int64, error) {
	i, err := s.visibleItem(ctx, s.world.DB, itemID)
	if err != nil {
		return nil, 0, err
	}
	return authored(listComments(ctx, s.world.DB, i.Number, p, s.rows))(ctx, s)
}

// UpdateComment changes a comment of the caller's.
func (s Scope) UpdateComment(ctx context.Context, id, body string) (c Comment, err error) {
	rendered, err := s.renderComment(ctx, body)
	if err != nil {
		return c, err
	}
	err = s.world.DB.WriteKeyed(ctx, commentKey(id), func(ctx context.Context, tx *database.Tx) error {
		if c, err = s.ownComment(ctx, tx, id); err != nil {
			return err
		}
		c.Body, c.Rendered, c.UpdatedAt = body, rendered, s.now()
		return updateComment(ctx, tx, c)
	})
	if err != nil {
		return c, err
	}
	return s.withAuthor(ctx, c)
}

// DeleteComment deletes a comment of the caller's.
func (s Scope) DeleteComment(ctx context.Context, id string) error {
	return s.world.DB.WriteKeyed(ctx, commentKey(id), func(ctx context.Context, tx *database.Tx) error {
		c, err := s.ownComment(ctx, tx, id)
		if err != nil {
			return err
		}
		s.cache.ForgetItems(tx, c.Item)
		if err := deleteCommentReactions(ctx, tx, c.Item, c.Number); err != nil {
			return err
		}
		deleted, err := deleteComment(ctx, tx, c.Number)
		if err != nil {
			return err
		}
		return addToCount(ctx, tx, countComments, -deleted, c.Item)
	})
}

// thank thanks for a comment, which its author does not do; unthank takes it back.
func (s Scope) thank(ctx context.Context, id string) error { return s.setThanks(ctx, id, true) }

func (s Scope) unthank(ctx context.Context, id string) error { return s.setThanks(ctx, id, false) }

func (s Scope) setThanks(ctx context.Context, id string, on bool) error {
	return orGone(s.world.DB.WriteKeyed(ctx, commentKey(id), func(ctx context.Context, tx *database.Tx) error {
		c, err := s.visibleComment(ctx, tx, id)
		if err == nil && c.UserID == s.userID() {
			err = errForbidden("You cannot thank yourself")
		}
		if err == nil {
			_, err = setRelation(ctx, tx, thanks(), c.Number, s.userID(), on, s.now())
		}
		return err
	}))
}

// orGone is not found where a comment went with its item while something was put on it: who deletes the item does not
// wait for writers of its comments.
func orGone(err error) error {
	if errors.Is(err, database.ErrForeignKey) {
		return errNotFound()
	}
	return err
}

func (s Scope) ownComment(ctx context.Context, tx *database.Tx, id string) (Comment, error) {
	c, err := s.visibleComment(ctx, tx, id)
	if err == nil && c.UserID != s.userID() {
		return c, errForbidden("Only the author may change this comment")
	}
	return c, err
}
