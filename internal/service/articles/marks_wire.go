package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) likesToWire(ctx context.Context, likes []Like) (encoded, error) {
	users, err := portraitsOf(ctx, s, likes, func(l Like) int64 { return l.UserID })
	if err != nil {
		return nil, err
	}
	var b wire.Builder
	b.Array()
	for _, l := range likes {
		b.Object()
		b.Key("created_at").Text(stamp(l.CreatedAt))
		b.Key("user").Embed(users[l.UserID].text).End()
	}
	return b.End().Bytes(), nil
}
