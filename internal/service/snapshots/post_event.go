package snapshots

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/service/snapshots/events"
)

// PostEvent stores an event and returns it as stored. Pictures that show events are
// drawn anew.
func (s *Service) PostEvent(ctx context.Context, t Tenant, e events.Event) (events.Event, error) {
	out, err := s.events.Post(ctx, t.Org, e)
	var refused *Error
	if !errors.As(err, &refused) {
		s.rendered.forget(t.Org)
	}
	return out, err
}
