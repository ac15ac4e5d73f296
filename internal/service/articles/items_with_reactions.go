package articles

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/page"
)

// ItemActions is an item with the reactions to it and the comments on it.
type ItemActions struct {
	Item
	URL       string
	Comments  []CommentActions
	Reactions []Reaction
}

// CommentActions is a comment with the reactions to it.
type CommentActions struct {
	Comment
	Reactions []Reaction
}

// maxActions bounds the comments, and the reactions, that a page shows.
const maxActions = 10_000

// ItemActions lists the items that a query finds, with what was done about them.
// Everything is looked up once for the whole page.
func (s Scope) ItemActions(ctx context.Context, query string, p page.Numbers) (
	[]ItemActions, int64, error,
) {
	numbers, total, err := s.Search(ctx, query, p)
	if err != nil {
		return nil, 0, err
	}
	items, err := s.itemHeads(ctx, numbers)
	if err != nil {
		return nil, 0, err
	}
	type place struct{ item, comment int64 }
	reactions := map[place][]Reaction{}
	comments := map[int64][]CommentActions{}
	reacted, err := reactionsByItem(ctx, s.world.DB, numbers, maxActions)
	if err != nil {
		return nil, 0, err
	}
	said, err := commentsByItem(ctx, s.world.DB, numbers, maxActions)
	if err != nil {
		return nil, 0, err
	}
	if err := errors.Join(setAuthors(ctx, s.Service, reacted), setAuthors(ctx, s.Service, said)); err != nil {
		return nil, 0, err
	}
	for _, x := range reacted {
		at := place{x.Item, x.Comment}
		reactions[at] = append(reactions[at], x)
	}
	for _, c := range said {
		comments[c.Item] = append(comments[c.Item], CommentActions{c, reactions[place{c.Item, c.Number}]})
	}
	base := s.sites.URL(ctx, s.Site)
	out := make([]ItemActions, len(items))
	for n, i := range items {
		out[n] = ItemActions{
			Item: i, URL: base + itemPath(i),
			Comments: comments[i.Number], Reactions: reactions[place{item: i.Number}],
		}
	}
	return out, total, nil
}

// itemHeads are items without texts and tags, in the order of their numbers in the
// list, with their authors and all page views. Those that are gone are left out.
func (s *Service) itemHeads(ctx context.Context, numbers []int64) ([]Item, error) {
	items, err := itemHeads(ctx, s.world.DB, numbers)
	if err != nil {
		return nil, err
	}
	if err := setAuthors(ctx, s, items); err != nil {
		return nil, err
	}
	byNumber := make(map[int64]Item, len(items))
	for _, i := range items {
		i.Views += s.pageViews.Pending(i.Number)
		byNumber[i.Number] = i
	}
	items = items[:0]
	for _, number := range numbers {
		if i, ok := byNumber[number]; ok {
			items = append(items, i)
		}
	}
	return items, nil
}
