package calendar

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
	"stoa.dev/stoa/internal/service/calendar/refusal"
	"stoa.dev/stoa/internal/service/calendar/settings"
)

func (u user) settings() settings.User {
	return settings.User{ID: u.id, Address: u.address, Lock: writeKey(u.address)}
}

// newSettings makes the keeper of settings, whose changes are announced.
func (s *Service) newSettings() *settings.UserSettings {
	return settings.New(settings.Options{
		DB: s.world.DB, Dialect: s.world.Dialect, Tokens: s.tokens,
		Changed: func(ctx context.Context, tx *database.Tx, user int64) error {
			return s.channels.Changed(ctx, tx, settingsOf(user), s.now())
		},
	})
}

func (s *Service) handleListSettings(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	l := q.Page(queryparams.DefaultPageSize, queryparams.MaxPageSize)
	if q.Err() != nil {
		return nil, q.Err()
	}
	return answer(s.settings.List(r.Context(), u.settings(), l))
}

func (s *Service) handleGetSetting(r *route.Request, u user) (any, error) {
	setting, err := s.settings.Get(r.Context(), u.settings(), r.PathValue("setting"))
	if errors.Is(err, settings.ErrNotFound) {
		err = refusal.NotFound()
	}
	return answer(setting, err)
}
