package articles

import (
	"net/url"
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

// reactionToWire shows the emoji as a picture that needs no server: the character
// as text.
func (s *Service) reactionToWire(x Reaction) reactionJSON {
	picture := url.PathEscape(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">` +
		`<text y="16" font-size="16">` + s.markdown.Emoji(x.Name) + `</text></svg>`)
	return reactionJSON{
		CreatedAt: formatTime(x.CreatedAt), ImageURL: "data:image/svg+xml," + picture,
		Name: x.Name, UserID: x.User.Name,
	}
}

func (s *Service) reactionsToWire(list []Reaction) []reactionJSON {
	out := make([]reactionJSON, len(list))
	for n, x := range list {
		out[n] = s.reactionToWire(x)
	}
	return out
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

func (s *Service) actionToWire(i ItemActions) actionJSON {
	comments := make([]commentActionJSON, len(i.Comments))
	for n, c := range i.Comments {
		comments[n] = commentActionJSON{
			CreatedAt: formatTime(c.CreatedAt), ID: c.ID, Reactions: s.reactionsToWire(c.Reactions),
			UpdatedAt: formatTime(c.UpdatedAt), UserID: c.User.Name,
		}
	}
	return actionJSON{
		Comments: comments, CreatedAt: formatTime(i.CreatedAt), ID: i.ID, PageViewsCount: i.Views,
		Reactions: s.reactionsToWire(i.Reactions), Title: i.Title, UpdatedAt: formatTime(i.UpdatedAt),
		URL: i.URL, UserID: i.User.Name,
	}
}
