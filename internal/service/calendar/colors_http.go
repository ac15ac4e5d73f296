package calendar

import (
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/palette"
)

type colorsJSON struct {
	Kind     string               `json:"kind"`
	Updated  string               `json:"updated"`
	Calendar map[string]colorJSON `json:"calendar"`
	Event    map[string]colorJSON `json:"event"`
}

type colorJSON struct {
	Background string `json:"background"`
	Foreground string `json:"foreground"`
}

func (s *Service) handleGetColors(*route.Request, user) (any, error) {
	return &colorsJSON{
		Kind: "calendar#colors", Updated: "2012-02-14T00:00:00.000Z",
		Calendar: paletteToWire(palette.Calendar()), Event: paletteToWire(palette.Event()),
	}, nil
}

func paletteToWire(colors []string) map[string]colorJSON {
	out := make(map[string]colorJSON, len(colors))
	for i, color := range colors {
		out[strconv.Itoa(i+1)] = colorJSON{Background: color, Foreground: palette.Foreground}
	}
	return out
}
