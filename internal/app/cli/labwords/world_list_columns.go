package labwords

import (
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// worldRow is what a list shows of a world, in the width of a terminal.
type worldRow struct {
	Name      string    `json:"name"`
	State     string    `json:"state"`
	From      string    `json:"from"`
	URL       string    `json:"url"`
	Clock     string    `json:"clock"`
	CreatedAt time.Time `json:"created"`
}

// Worlds is a lab's list of worlds with what fits a terminal.
func Worlds(answer json.RawMessage) (json.RawMessage, error) {
	var list struct {
		Worlds []struct {
			Name, State, From, URL string
			CreatedAt              time.Time
			Clock                  struct {
				Mode clock.Mode
				Now  time.Time
				Rate float64
			}
		}
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, fmt.Errorf("the lab's list of worlds: %w", err)
	}
	rows := make([]worldRow, 0, len(list.Worlds))
	for _, w := range list.Worlds {
		row := worldRow{Name: w.Name, State: w.State, From: w.From, URL: w.URL, CreatedAt: w.CreatedAt}
		switch {
		case w.Clock.Mode == clock.ModeFrozen:
			row.Clock = "stands at " + w.Clock.Now.UTC().Format("2006-01-02 15:04:05")
		case w.Clock.Rate != 1 && w.Clock.Rate != 0:
			row.Clock = fmt.Sprintf("%v seconds a second", w.Clock.Rate)
		default:
			row.Clock = string(w.Clock.Mode)
		}
		rows = append(rows, row)
	}
	return json.Marshal(map[string]any{"worlds": rows})
}
