package articles

import (
	"context"
	"html/template"
	"strings"

	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/tagging"
	"stoa.dev/stoa/internal/service/articles/web"
)

// pageSource is what the pages show to a reader.
type pageSource struct{ Scope }

// Site implements web.Source.
func (s pageSource) Site() web.Site {
	if s.Team == nil {
		return web.Site{Title: "Articles", Public: true}
	}
	return web.Site{Title: s.Team.Title}
}

// maxPopularTags bounds the tags on the first page.
const maxPopularTags = 12

// Search implements web.Source.
func (s pageSource) Search(ctx context.Context, query string, p page.Numbers) (web.List, error) {
	numbers, total, err := s.Scope.Search(ctx, query, p)
	if err != nil {
		return web.List{}, err
	}
	list, err := s.list(ctx, numbers, total)
	if err != nil || query != "" {
		return list, err
	}
	tags, _, err := s.Tags(ctx, "count", page.Numbers{Page: 1, Size: maxPopularTags})
	for _, t := range tags {
		if t.Items > 0 {
			list.Popular = append(list.Popular, t.Name)
		}
	}
	return list, err
}

// Tag implements web.Source.
func (s pageSource) Tag(ctx context.Context, name string, p page.Numbers) (string, int64, web.List, error) {
	t, err := s.Scope.Tag(ctx, name)
	if err != nil {
		return "", 0, web.List{}, err
	}
	numbers, total, err := s.TagItems(ctx, name, p)
	if err != nil {
		return "", 0, web.List{}, err
	}
	list, err := s.list(ctx, numbers, total)
	return t.Name, t.Followers, list, err
}

// User implements web.Source.
func (s pageSource) User(ctx context.Context, name string, p page.Numbers) (web.User, int64, web.List, error) {
	u, err := s.Scope.User(ctx, name)
	if err != nil {
		return web.User{}, 0, web.List{}, err
	}
	numbers, total, err := s.UserItems(ctx, name, p)
	if err != nil {
		return web.User{}, 0, web.List{}, err
	}
	list, err := s.list(ctx, numbers, total)
	return webUser(u), u.Followers, list, err
}

// list reads the items of a page.
func (s pageSource) list(ctx context.Context, numbers []int64, total int64) (web.List, error) {
	items, err := s.itemHeads(ctx, numbers)
	if err != nil {
		return web.List{}, err
	}
	if err := setTags(ctx, s.world.DB, items); err != nil {
		return web.List{}, err
	}
	out := web.List{Items: make([]web.Item, len(items)), Total: total}
	for n, i := range items {
		out.Items[n] = s.webItem(i)
	}
	return out, nil
}

// maxShownComments bounds the comments below an article.
const maxShownComments = 200

// Item implements web.Source. It counts a view unless the author looks.
func (s pageSource) Item(ctx context.Context, user, id string, private bool) (web.Item, []web.Comment, error) {
	i, err := s.visibleItemFull(ctx, s.world.DB, id)
	if err != nil {
		return web.Item{}, nil, err
	}
	if err := s.rows.Take(i.TextBytes()); err != nil {
		return web.Item{}, nil, err
	}
	if i.Tags, err = tagging.OfItem(ctx, s.world.DB, i.Number); err != nil {
		return web.Item{}, nil, err
	}
	if i.User, err = s.user(ctx, i.UserID); err != nil {
		return web.Item{}, nil, err
	}
	comments, _, err := s.pageComments(ctx, id, page.Numbers{Page: 1, Size: maxShownComments})
	if err != nil {
		return web.Item{}, nil, err
	}
	if !strings.EqualFold(i.User.Name, user) || i.Private != private {
		return web.Item{}, nil, errNotFound()
	}
	if s.userID() != i.UserID {
		s.pageViews.Add(i.Number)
	}
	i.Views += s.pageViews.Pending(i.Number)
	out := make([]web.Comment, len(comments))
	for n, c := range comments {
		out[len(out)-1-n] = web.Comment{
			ID: c.ID, Author: webUser(c.User), CreatedAt: c.CreatedAt, HTML: template.HTML(c.Rendered),
		}
	}
	return s.webItem(i), out, nil
}

func webUser(u *User) web.User { return web.User{Name: u.Name, DisplayName: u.DisplayName} }

func (s pageSource) webItem(i Item) web.Item {
	tags := make([]string, len(i.Tags))
	for n, t := range i.Tags {
		tags[n] = t.Name
	}
	return web.Item{
		Title: i.Title, Path: itemPath(i), Author: webUser(i.User), CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
		Private: i.Private, Tags: tags, HTML: template.HTML(i.Rendered),
		Likes: i.Likes, Reactions: i.Reactions, Stocks: i.Stocks, Comments: i.Comments,
		Views: i.Views, Own: i.UserID == s.userID(),
	}
}
