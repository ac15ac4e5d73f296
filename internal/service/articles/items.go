package articles

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/site"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// What may be written. The body of an item is bounded by the request; comments and
// templates are shorter, because lists hold a hundred of them at once.
const (
	maxComment  = 64 << 10
	maxTemplate = 256 << 10
	maxTitle    = 255
)

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
		if err := s.setGroup(ctx, tx, &i.GroupNumber, c.GroupURLName); err != nil {
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
	return i, orNoGroup(err)
}

// setGroup sets the group that something is written in. Only a caller that sees a
// group may write in it.
func (s Scope) setGroup(ctx context.Context, tx *database.Tx, to *int64, urlName *string) error {
	if urlName == nil || s.Team == nil {
		return nil
	}
	if *to = 0; *urlName == "" {
		return nil
	}
	g, err := s.groups.Find(ctx, tx, s.viewer(), *urlName)
	if refusal.Is(err) {
		return errNoGroup()
	}
	*to = g.Number
	return err
}

func errNoGroup() *refusal.Error { return errInvalid("group_url_name names no group of the team") }

// orNoGroup refuses a write whose group was deleted meanwhile.
func orNoGroup(err error) error {
	if errors.Is(err, database.ErrForeignKey) {
		return errNoGroup()
	}
	return err
}

// apply checks a change and makes it.
func (i *Item) apply(e site.Site, c itemRequest, rendered string, now time.Time) error {
	set(&i.Title, c.Title)
	if c.Body != nil {
		i.Body, i.Rendered = *c.Body, rendered
	}
	set(&i.Slide, c.Slide)
	wasPublic := i.Number != 0 && !i.Private
	// Private items are a matter of the public site, coediting one of teams.
	if e.Team == nil {
		set(&i.Private, c.Private)
	} else {
		set(&i.Coediting, c.Coediting)
	}
	if wasPublic && i.Private {
		return errForbidden("What was public cannot become private")
	}
	if err := checkTitle("title", i.Title); err != nil {
		return err
	}
	if strings.TrimSpace(i.Body) == "" {
		return errInvalid("body is missing")
	}
	i.UpdatedAt = now
	if c.Tags == nil {
		return nil
	}
	return tagging.CheckAll(*c.Tags, e.Team == nil)
}

func checkTitle(member, text string) error {
	if strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxTitle {
		return errInvalid("%s must have 1 to 255 characters", member)
	}
	return nil
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
		old, err := tagNumbers(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		before := countsOf(i, old)
		if err := i.apply(s.Site, c, rendered, now); err != nil {
			return err
		}
		if err := s.setGroup(ctx, tx, &i.GroupNumber, c.GroupURLName); err != nil {
			return err
		}
		if err := updateItem(ctx, tx, i); err != nil {
			return err
		}
		tags := old
		if c.Tags == nil {
			i.Tags, err = itemTaggings(ctx, tx, i.Number)
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
	return i, orNoGroup(err)
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
		tags, err := tagNumbers(ctx, tx, i.Number)
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
