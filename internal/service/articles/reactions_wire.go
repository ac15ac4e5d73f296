package articles

import "net/url"

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
