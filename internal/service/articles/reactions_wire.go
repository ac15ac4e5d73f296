package articles

import (
	"context"
	"slices"
)

type reactionRequest struct {
	Name string `json:"name"`
}

type reactionJSON struct {
	CreatedAt string `json:"created_at"`
	ImageURL  string `json:"image_url"`
	Name      string `json:"name"`
	UserID    string `json:"user_id"`
}

type actionJSON struct {
	Comments       []commentActionJSON `json:"comments"`
	CreatedAt      string              `json:"created_at"`
	ID             string              `json:"id"`
	PageViewsCount int64               `json:"page_views_count"`
	Reactions      []reactionJSON      `json:"reactions"`
	Title          string              `json:"title"`
	UpdatedAt      string              `json:"updated_at"`
	URL            string              `json:"url"`
	UserID         string              `json:"user_id"`
}

type commentActionJSON struct {
	CreatedAt string         `json:"created_at"`
	ID        string         `json:"id"`
	Reactions []reactionJSON `json:"reactions"`
	UpdatedAt string         `json:"updated_at"`
	UserID    string         `json:"user_id"`
}

// names finds how people are called.
func (s *Service) names(ctx context.Context, ids []int64) (map[int64]string, error) {
	users, err := s.identity.UsersByID(ctx, ids)
	out := make(map[int64]string, len(users))
	for _, u := range users {
		out[u.ID] = u.Name
	}
	return out, err
}

func (s *Service) reactionToWire(x Reaction, names map[int64]string) reactionJSON {
	return reactionJSON{CreatedAt: stamp(x.CreatedAt), ImageURL: s.emojiURL(x.Name), Name: x.Name, UserID: names[x.UserID]}
}

func (s *Service) reactionsToWire(ctx context.Context, list []Reaction) ([]reactionJSON, error) {
	var ids []int64
	for _, x := range list {
		ids = append(ids, x.UserID)
	}
	names, err := s.names(ctx, ids)
	out := make([]reactionJSON, len(list))
	for n, x := range list {
		out[n] = s.reactionToWire(x, names)
	}
	return out, err
}

// maxActions bounds the comments and the reactions that a page of the list
// shows.
const maxActions = 10_000

// actionsToWire shows items with what people did about them. Everything is
// looked up once for the whole page.
func (s *Service) actionsToWire(ctx context.Context, v Visit, numbers []int64) ([]actionJSON, error) {
	items, err := s.store.heads(ctx, s.world.DB, numbers)
	if err != nil {
		return nil, err
	}
	reactions, err := s.store.reactionsOf(ctx, s.world.DB, numbers, maxActions)
	if err != nil {
		return nil, err
	}
	comments, err := s.store.commentsOf(ctx, s.world.DB, numbers, maxActions)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, i := range items {
		ids = append(ids, i.UserID)
	}
	for _, x := range reactions {
		ids = append(ids, x.UserID)
	}
	for _, c := range comments {
		ids = append(ids, c.UserID)
	}
	slices.Sort(ids)
	names, err := s.names(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	return s.actions(v, numbers, items, comments, reactions, names), nil
}

// spot is what a reaction is on.
type spot struct{ item, comment int64 }

func (s *Service) actions(v Visit, numbers []int64, items []Item, comments []Comment, reactions []Reaction, names map[int64]string) []actionJSON {
	at := map[spot][]reactionJSON{}
	for _, x := range reactions {
		key := spot{x.Item, x.Comment}
		at[key] = append(at[key], s.reactionToWire(x, names))
	}
	said := map[int64][]commentActionJSON{}
	for _, c := range comments {
		said[c.Item] = append(said[c.Item], commentActionJSON{
			CreatedAt: stamp(c.CreatedAt), ID: c.ID, Reactions: orEmpty(at[spot{c.Item, c.Number}]), UpdatedAt: stamp(c.UpdatedAt), UserID: names[c.UserID],
		})
	}
	byNumber := make(map[int64]Item, len(items))
	for _, i := range items {
		byNumber[i.Number] = i
	}
	out, views := []actionJSON{}, s.views.of(numbers...)
	for n, number := range numbers {
		i, ok := byNumber[number]
		if !ok {
			continue
		}
		out = append(out, actionJSON{
			Comments: orEmpty(said[number]), CreatedAt: stamp(i.CreatedAt), ID: i.ID, PageViewsCount: i.Views + views[n], Reactions: orEmpty(at[spot{item: number}]),
			Title: i.Title, UpdatedAt: stamp(i.UpdatedAt), URL: s.itemURL(v.Place, names[i.UserID], i), UserID: names[i.UserID],
		})
	}
	return out
}

// orEmpty keeps null off the wire.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
