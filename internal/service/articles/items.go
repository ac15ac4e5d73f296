package articles

import (
	"context"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/site"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// maxComment bounds a comment, because lists hold a hundred of them at once. The body
// of an item is bounded by the request.
const maxComment = 64 << 10

// renderBody ends the body with a line break and renders it, before and not while
// a transaction is open.
func (s Scope) renderBody(ctx context.Context, c *itemRequest) (rendered string, err error) {
	if c.Body == nil {
		return "", nil
	}
	body := *c.Body
	if !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	c.Body = &body
	return s.markdown.Render(ctx, s.owner(), body)
}

// CreateItem publishes an item in the caller's name.
func (s Scope) CreateItem(ctx context.Context, c itemRequest) (Item, error) {
	i := Item{
		author: author{UserID: s.userID()}, ID: s.world.IDs.Hex(20), TeamID: s.TeamID(), CreatedAt: s.now(),
	}
	if c.Tags == nil {
		c.Tags = &[]Tagging{}
	}
	rendered, err := s.renderBody(ctx, &c)
	if err != nil {
		return Item{}, err
	}
	if err := i.apply(s.Site, c, rendered, i.CreatedAt); err != nil {
		return Item{}, err
	}
	err = s.world.DB.WriteKeyed(ctx, userKey(i.UserID), func(ctx context.Context, tx *database.Tx) (err error) {
		if err := s.groups.SetNumber(ctx, tx, s.viewer(), &i.GroupNumber, c.GroupURLName); err != nil {
			return err
		}
		if i.Number, err = insertItem(ctx, tx, i); err != nil {
			return err
		}
		tags, err := s.tagItem(ctx, tx, &i, *c.Tags, nil)
		if err != nil {
			return err
		}
		if err := s.index.Put(ctx, tx, searchItem(i)); err != nil {
			return err
		}
		return s.updateCounts(ctx, tx, i, itemCounts{}, countsOf(i, tags))
	})
	return i, groups.OrNoGroup(err)
}

// checkSite refuses what the site of an item does not have: an author who is not told would publish to more readers
// than meant. What asks for nothing, as clients send it of every item, is taken.
func (c itemRequest) checkSite(on site.Site) error {
	switch {
	case on.Team != nil && c.Private != nil && *c.Private:
		return errInvalid("private is for the public site; in a team, name a private group in group_url_name")
	case on.Team == nil && c.Coediting != nil && *c.Coediting:
		return errInvalid("coediting is for items of a team")
	case on.Team == nil && c.GroupURLName != nil && *c.GroupURLName != "":
		return errInvalid("group_url_name is for items of a team; on the public site, private is shared by address only")
	}
	return nil
}

// apply checks a change and makes it.
func (i *Item) apply(on site.Site, c itemRequest, rendered string, now time.Time) error {
	if err := c.checkSite(on); err != nil {
		return err
	}
	set(&i.Title, c.Title)
	if c.Body != nil {
		i.Body, i.Rendered = *c.Body, rendered
	}
	set(&i.Slide, c.Slide)
	wasPublic := i.Number != 0 && !i.Private
	set(&i.Private, c.Private)
	set(&i.Coediting, c.Coediting)
	if wasPublic && i.Private {
		return errForbidden("What was public cannot become private")
	}
	if err := refusal.CheckTitle("title", i.Title); err != nil {
		return err
	}
	if strings.TrimSpace(i.Body) == "" {
		return errInvalid("body is missing")
	}
	i.UpdatedAt = now
	if c.Tags == nil {
		return nil
	}
	return tagging.CheckAll(*c.Tags, on.Team == nil)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// UpdateItem changes an item of the caller's, or one the team edits together.
func (s Scope) UpdateItem(ctx context.Context, id string, c itemRequest) (Item, error) {
	var i Item
	rendered, err := s.renderBody(ctx, &c)
	if err != nil {
		return Item{}, err
	}
	now := s.now()
	err = s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) (err error) {
		if i, err = s.visibleItemFull(ctx, tx, id); err != nil {
			return err
		}
		if i.UserID != s.userID() && !i.Coediting {
			return errForbidden("Only the author may change this item")
		}
		old, err := tagging.Numbers(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		before := countsOf(i, old)
		if err := i.apply(s.Site, c, rendered, now); err != nil {
			return err
		}
		if err := s.groups.SetNumber(ctx, tx, s.viewer(), &i.GroupNumber, c.GroupURLName); err != nil {
			return err
		}
		if err := updateItem(ctx, tx, i); err != nil {
			return err
		}
		tags := old
		if c.Tags == nil {
			i.Tags, err = tagging.OfItem(ctx, tx, i.Number)
		} else {
			tags, err = s.tagItem(ctx, tx, &i, *c.Tags, old)
		}
		if err != nil {
			return err
		}
		if err := s.index.Put(ctx, tx, searchItem(i)); err != nil {
			return err
		}
		return s.updateCounts(ctx, tx, i, before, countsOf(i, tags))
	})
	return i, groups.OrNoGroup(err)
}

// DeleteItem deletes an item of the caller's with its comments, likes and stocks.
func (s Scope) DeleteItem(ctx context.Context, id string) error {
	return s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.visibleItem(ctx, tx, id)
		if err != nil {
			return err
		}
		if i.UserID != s.userID() {
			return errForbidden("Only the author may delete this item")
		}
		tags, err := tagging.Numbers(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		if err := s.index.Delete(ctx, tx, i.Number); err != nil {
			return err
		}
		if err := deleteItem(ctx, tx, i.Number); err != nil {
			return err
		}
		return s.updateCounts(ctx, tx, i, countsOf(i, tags), itemCounts{})
	})
}
