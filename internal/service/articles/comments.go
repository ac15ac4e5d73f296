package articles

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// checkComment makes the HTML of a comment.
func (s *Service) checkComment(ctx context.Context, v Visit, body string) (string, error) {
	if strings.TrimSpace(body) == "" {
		return "", errBad("body is missing")
	}
	if len(body) > maxComment {
		return "", errBad("body must have at most 65536 bytes")
	}
	return s.markdown.Render(ctx, v.owner(), body)
}

// CreateComment comments on an item that the caller may see.
func (s *Service) CreateComment(ctx context.Context, v Visit, itemID, body string) (Comment, error) {
	rendered, err := s.checkComment(ctx, v, body)
	if err != nil {
		return Comment{}, err
	}
	now := s.now()
	c := Comment{ID: s.world.IDs.Hex(20), UserID: v.userID(), Body: body, Rendered: rendered, CreatedAt: now, UpdatedAt: now}
	err = s.world.DB.WriteKeyed(ctx, itemKey(itemID), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.see(ctx, tx, v, itemID)
		if err != nil {
			return err
		}
		c.Item = i.Number
		s.shelf.forget(tx, change{items: []int64{i.Number}})
		if err := s.store.insertComment(ctx, tx, c); err != nil {
			return err
		}
		return s.store.count(ctx, tx, countComments, 1, i.Number)
	})
	return c, err
}

// Comment finds a comment on an item that the visitor may see.
func (s *Service) Comment(ctx context.Context, v Visit, id string) (Comment, error) {
	return s.seeComment(ctx, s.world.DB, v, id)
}

func (s *Service) seeComment(ctx context.Context, q database.Querier, v Visit, id string) (Comment, error) {
	c, err := s.store.comment(ctx, q, v.teamID(), id)
	if err != nil {
		return Comment{}, err
	}
	list, err := s.store.heads(ctx, q, []int64{c.Item})
	if err != nil {
		return Comment{}, err
	}
	if len(list) == 0 {
		return Comment{}, errNotFound()
	}
	return c, s.seen(ctx, q, v, list[0])
}

// Comments lists what was said about an item, the newest first.
func (s *Service) Comments(ctx context.Context, v Visit, itemID string, part cut, take taker) (list []Comment, total int64, err error) {
	i, err := s.see(ctx, s.world.DB, v, itemID)
	if err != nil {
		return nil, 0, err
	}
	return s.store.comments(ctx, s.world.DB, i.Number, part, take)
}

// UpdateComment changes a comment of the caller's.
func (s *Service) UpdateComment(ctx context.Context, v Visit, id, body string) (Comment, error) {
	rendered, err := s.checkComment(ctx, v, body)
	if err != nil {
		return Comment{}, err
	}
	var c Comment
	err = s.world.DB.WriteKeyed(ctx, commentKey(id), func(ctx context.Context, tx *database.Tx) error {
		if c, err = s.ownComment(ctx, tx, v, id); err != nil {
			return err
		}
		c.Body, c.Rendered, c.UpdatedAt = body, rendered, s.now()
		return s.store.updateComment(ctx, tx, c)
	})
	return c, err
}

// DeleteComment deletes a comment of the caller's.
func (s *Service) DeleteComment(ctx context.Context, v Visit, id string) error {
	return s.world.DB.WriteKeyed(ctx, commentKey(id), func(ctx context.Context, tx *database.Tx) error {
		c, err := s.ownComment(ctx, tx, v, id)
		if err != nil {
			return err
		}
		s.shelf.forget(tx, change{items: []int64{c.Item}})
		if err := s.store.deleteReactionsTo(ctx, tx, c.Item, c.Number); err != nil {
			return err
		}
		gone, err := s.store.deleteComment(ctx, tx, c.Number)
		if err != nil {
			return err
		}
		return s.store.count(ctx, tx, countComments, -gone, c.Item)
	})
}

func (s *Service) ownComment(ctx context.Context, tx *database.Tx, v Visit, id string) (Comment, error) {
	c, err := s.seeComment(ctx, tx, v, id)
	if err == nil && c.UserID != v.userID() {
		return c, errForbidden("Only the author may change this comment")
	}
	return c, err
}

// commentKey is what writers of one comment wait for.
func commentKey(id string) string { return "articles/comment/" + id }
