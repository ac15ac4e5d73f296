package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/wire"
)

type commentRequest struct {
	Body string `json:"body"`
}

func (s *Service) commentsToWire(ctx context.Context, list []Comment) (encoded, error) {
	users, err := portraitsOf(ctx, s, list, func(c Comment) int64 { return c.UserID })
	if err != nil {
		return nil, err
	}
	var b wire.Builder
	b.Array()
	for _, c := range list {
		b.Object()
		b.Key("body").Text(c.Body)
		b.Key("created_at").Text(stamp(c.CreatedAt))
		b.Key("id").Text(c.ID)
		b.Key("rendered_body").Text(c.Rendered)
		b.Key("updated_at").Text(stamp(c.UpdatedAt))
		b.Key("user").Embed(users[c.UserID].text).End()
	}
	return b.End().Bytes(), nil
}
