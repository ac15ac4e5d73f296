package articles

type commentRequest struct {
	Body string `json:"body"`
}

type commentJSON struct {
	Body         string         `json:"body"`
	CreatedAt    string         `json:"created_at"`
	ID           string         `json:"id"`
	RenderedBody string         `json:"rendered_body"`
	UpdatedAt    string         `json:"updated_at"`
	User         map[string]any `json:"user"`
}

func (s *Service) commentToWire(c Comment, user Person) commentJSON {
	return commentJSON{
		Body: c.Body, CreatedAt: stamp(c.CreatedAt), ID: c.ID, RenderedBody: c.Rendered, UpdatedAt: stamp(c.UpdatedAt), User: s.userToWire(user),
	}
}
