package calendar

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/palette"
)

func (s *Service) handleGetColors(*route.Request, user) (any, error) { return palette.All(), nil }
