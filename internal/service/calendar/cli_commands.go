package calendar

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/calendar/settings"
)

// commands change what the contract can only read.
func (s *Service) commands() []module.Command {
	return []module.Command{{
		Path:  "calendar set",
		Short: "change a calendar setting of a user",
		Long:  "Clients can read and watch settings but not change them; this is where they change.",
		Args: []module.Arg{
			{Name: "user", Help: "name of the user"},
			{Name: "setting", Help: "id of the setting, such as timezone"},
			{Name: "value", Help: "its new value"},
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			u, err := s.userByName(ctx, in.Text("user"))
			if errors.Is(err, identity.ErrNotFound) {
				return nil, module.Fail(module.NotFound, "stoa user list shows the users", "no user is named %s",
					in.Text("user"))
			}
			if err != nil {
				return nil, err
			}
			setting, err := s.settings.Set(ctx, u.settings(), in.Text("setting"), in.Text("value"))
			var refused *Error
			switch {
			case errors.Is(err, settings.ErrNotFound):
				return nil, module.Fail(module.NotFound, "GET /calendar/v3/users/me/settings lists them",
					"there is no setting %s", in.Text("setting"))
			case errors.As(err, &refused):
				return nil, module.Fail(module.Usage, "GET /calendar/v3/users/me/settings lists what is set", "%w", err)
			}
			return setting, err
		},
	}}
}
