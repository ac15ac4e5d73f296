package articles

import (
	"context"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/cache"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/pictures"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
	"stoa.dev/stoa/internal/service/articles/site"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// encodeItem encodes an item whose author and group are set. The author's name is
// part of the address.
func encodeItem(on site.Site, i Item) *cache.Item {
	b := wire.NewBuilder(wire.CompactJSON, make([]byte, 0, len(i.Rendered)+len(i.Body)+1024))
	b.Object()
	picturesAt := pictures.PathsIn(b.Key("rendered_body").Text(i.Rendered).Bytes())
	b.Key("body").Text(i.Body)
	b.Key("coediting").Bool(i.Coediting)
	b.Key("comments_count").Int(i.Comments)
	b.Key("created_at").Text(formatTime(i.CreatedAt))
	writeGroup(b.Key("group"), i.Group)
	b.Key("id").Text(i.ID)
	b.Key("likes_count").Int(i.Likes)
	b.Key("private").Bool(i.Private)
	b.Key("reactions_count").Int(i.Reactions)
	b.Key("stocks_count").Int(i.Stocks)
	tagging.Write(b.Key("tags"), i.Tags)
	b.Key("title").Text(i.Title)
	b.Key("updated_at").Text(formatTime(i.UpdatedAt))
	linkAt := len(b.Key("url").Bytes())
	b.Text(itemPath(i))
	b.Key("organization_url_name").Null()
	b.Key("slide").Bool(i.Slide)
	if b.Key("team_membership"); on.Team == nil {
		b.Null()
	} else {
		b.Object().Key("name").Text(i.User.DisplayName).End()
	}
	return &cache.Item{
		Number: i.Number, TeamID: i.TeamID, UserID: i.UserID, Group: i.GroupNumber, ID: i.ID, Private: i.Private,
		Views: i.Views, JSON: b.Key("page_views_count").Bytes(), LinkAt: linkAt, PicturesAt: picturesAt,
	}
}

func writeGroup(b *wire.Builder, g *groups.Group) {
	if g == nil {
		b.Null()
		return
	}
	b.Object()
	b.Key("created_at").Text(formatTime(g.CreatedAt))
	b.Key("description").Text(g.Description)
	b.Key("name").Text(g.Name)
	b.Key("private").Bool(g.Private)
	b.Key("updated_at").Text(formatTime(g.UpdatedAt))
	b.Key("url_name").Text(g.URLName)
	b.End()
}

// appendItem writes the whole item, with page views that are not stored yet.
func appendItem(out []byte, e *cache.Item, base cache.Bases, views int64, user *User) []byte {
	out = strconv.AppendInt(e.Append(out, base), e.Views+views, 10)
	return append(append(append(out, `,"user":`...), user.json...), '}')
}

// smallRow is how many bytes of an item are read without memory being reserved, and
// smallPage how many of several items are written so.
const (
	smallRow  = 64 << 10
	smallPage = 256 << 10
)

// itemJSON finds an item that the caller may see and encodes it.
func (s Scope) itemJSON(ctx context.Context, id string) ([]byte, error) {
	e := s.cache.Item(id)
	if e == nil {
		generation := s.cache.Generation()
		i, err := itemByID(ctx, s.world.DB, s.TeamID(), id)
		if err != nil {
			return nil, err
		}
		if i.TextBytes() > smallRow {
			if err := s.rows.Take(i.TextBytes()); err != nil {
				return nil, err
			}
		}
		items := []Item{i}
		if err := setTags(ctx, s.world.DB, items); err != nil {
			return nil, err
		}
		encoded, err := s.encodeItems(ctx, s.Site, items)
		if err != nil {
			return nil, err
		}
		s.cache.PutItems(generation, encoded)
		e = encoded[0]
	}
	if e.TeamID != s.TeamID() {
		return nil, errNotFound()
	}
	if err := s.groups.CheckVisible(ctx, s.world.DB, s.viewer(), e.Group); err != nil {
		return nil, err
	}
	return s.appendItems(ctx, nil, false, []*cache.Item{e}, s.rows)
}

// writtenItemJSON encodes an item that was just written, with its tags.
func (s Scope) writtenItemJSON(ctx context.Context) func(Item, error) ([]byte, error) {
	return func(i Item, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		encoded, err := s.encodeItems(ctx, s.Site, []Item{i})
		if err != nil {
			return nil, err
		}
		return s.appendItems(ctx, nil, false, encoded, nil)
	}
}

// completeItems puts the items that are missing into the places that are nil. Those
// that are gone are left out.
func (s *Service) completeItems(ctx context.Context, on site.Site, numbers []int64, out []*cache.Item,
	memory *rowmemory.Memory,
) ([]*cache.Item, error) {
	var missing []int64
	for n, item := range out {
		if item == nil {
			missing = append(missing, numbers[n])
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	generation := s.cache.Generation()
	items, err := itemsByNumber(ctx, s.world.DB, missing, memory)
	if err != nil {
		return nil, err
	}
	encoded, err := s.encodeItems(ctx, on, items)
	if err != nil {
		return nil, err
	}
	s.cache.PutItems(generation, encoded)
	byNumber := make(map[int64]*cache.Item, len(encoded))
	for _, item := range encoded {
		byNumber[item.Number] = item
	}
	found := make([]*cache.Item, 0, len(out))
	for n, item := range out {
		if item == nil {
			item = byNumber[numbers[n]]
		}
		if item != nil {
			found = append(found, item)
		}
	}
	return found, nil
}

// encodeItems encodes items. Authors and groups are looked up once for all.
func (s *Service) encodeItems(ctx context.Context, on site.Site, items []Item) ([]*cache.Item, error) {
	if err := setAuthors(ctx, s, items); err != nil {
		return nil, err
	}
	numbers := make([]int64, len(items))
	for n, i := range items {
		numbers[n] = i.GroupNumber
	}
	groups, err := s.groups.ByNumber(ctx, numbers)
	if err != nil {
		return nil, err
	}
	out := make([]*cache.Item, len(items))
	for n, i := range items {
		i.Group = groups[i.GroupNumber]
		out[n] = encodeItem(on, i)
	}
	return out, nil
}

// appendItems writes items with commas between them, and with one before the first
// if comma is true.
func (s Scope) appendItems(ctx context.Context, out []byte, comma bool, items []*cache.Item, memory *rowmemory.Memory) (
	[]byte, error,
) {
	ids, size := make([]int64, len(items)), 16
	for n, e := range items {
		ids[n] = e.UserID
		size += len(e.JSON) + 600
	}
	if size > smallPage {
		if err := memory.Take(size / rowmemory.Factor); err != nil {
			return nil, err
		}
	}
	users, err := s.users(ctx, ids)
	if err != nil {
		return nil, err
	}
	base := cache.Bases{Link: s.sites.URL(ctx, s.Site), Picture: s.world.URL(ctx)}
	out = slices.Grow(out, size)
	for n, e := range items {
		if comma || n > 0 {
			out = append(out, ',')
		}
		out = appendItem(out, e, base, s.pageViews.Pending(e.Number), users[e.UserID])
	}
	return out, nil
}
