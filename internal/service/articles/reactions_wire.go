package articles

type reactionRequest struct {
	Name string `json:"name"`
}

type groupRequest struct {
	URLName     string `json:"url_name"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Private     bool   `json:"private"`
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

func (s *Service) reactionToWire(look *looker, x Reaction) (reactionJSON, error) {
	user, err := look.user(x.UserID)
	return reactionJSON{CreatedAt: stamp(x.CreatedAt), ImageURL: emojiURL(x.Name), Name: x.Name, UserID: user.Name}, err
}

// maxActions bounds the comments that one item of the list shows.
const maxActions = 1000

func (s *Service) actionToWire(look *looker, v Visit, i Item) (any, error) {
	author, err := look.user(i.UserID)
	if err != nil {
		return nil, err
	}
	reactions, err := s.store.allReactions(look.ctx, s.world.DB, i.Number)
	if err != nil {
		return nil, err
	}
	byComment := map[int64][]reactionJSON{}
	for _, x := range reactions {
		shown, err := s.reactionToWire(look, x)
		if err != nil {
			return nil, err
		}
		byComment[x.Comment] = append(byComment[x.Comment], shown)
	}
	comments, _, err := s.store.comments(look.ctx, s.world.DB, i.Number, cut{limit: maxActions})
	if err != nil {
		return nil, err
	}
	out := actionJSON{
		Comments: []commentActionJSON{}, CreatedAt: stamp(i.CreatedAt), ID: i.ID, Reactions: append([]reactionJSON{}, byComment[0]...), Title: i.Title,
		UpdatedAt: stamp(i.UpdatedAt), URL: s.itemURL(v.Place, author.Name, i), UserID: author.Name,
	}
	for _, c := range comments {
		user, err := look.user(c.UserID)
		if err != nil {
			return nil, err
		}
		out.Comments = append(out.Comments, commentActionJSON{
			CreatedAt: stamp(c.CreatedAt), ID: c.ID, Reactions: append([]reactionJSON{}, byComment[c.Number]...), UpdatedAt: stamp(c.UpdatedAt), UserID: user.Name,
		})
	}
	return out, nil
}
