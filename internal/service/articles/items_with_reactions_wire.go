package articles

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
