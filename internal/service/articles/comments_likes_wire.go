package articles

import "encoding/json"

type commentRequest struct {
	Body string `json:"body"`
}

type commentJSON struct {
	Body         string          `json:"body"`
	CreatedAt    string          `json:"created_at"`
	ID           string          `json:"id"`
	RenderedBody string          `json:"rendered_body"`
	UpdatedAt    string          `json:"updated_at"`
	User         json.RawMessage `json:"user"`
}

type likeJSON struct {
	CreatedAt string          `json:"created_at"`
	User      json.RawMessage `json:"user"`
}

func likeToWire(l Like) likeJSON { return likeJSON{formatTime(l.CreatedAt), l.User.json} }

func commentToWire(c Comment) commentJSON {
	return commentJSON{
		Body: c.Body, CreatedAt: formatTime(c.CreatedAt), ID: c.ID, RenderedBody: c.Rendered,
		UpdatedAt: formatTime(c.UpdatedAt), User: c.User.json,
	}
}
