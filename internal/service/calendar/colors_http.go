package calendar

import (
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
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

func (s *Service) handleGetColors(*route.Request, person) (any, error) {
	return &colorsJSON{
		Kind: "calendar#colors", Updated: "2012-02-14T00:00:00.000Z",
		Calendar: paletteToWire(calendarColors()), Event: paletteToWire(eventColors()),
	}, nil
}

func paletteToWire(palette []string) map[string]colorJSON {
	out := make(map[string]colorJSON, len(palette))
	for i, color := range palette {
		out[strconv.Itoa(i+1)] = colorJSON{Background: color, Foreground: foreground}
	}
	return out
}
