package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"stoa.dev/stoa/internal/platform/clock"
)

func (p *Program) worldList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "list the worlds of the lab",
		Long: "List the worlds of the lab. stoa world show NAME and --json have the rest of what there is to know of one.",
		Args: named(),
		RunE: func(c *cobra.Command, _ []string) error { return p.listWorlds(c.Context()) },
	}
}

// worldRow is what a list shows of a world, in the width of a terminal.
type worldRow struct {
	Name      string    `json:"name"`
	State     string    `json:"state"`
	From      string    `json:"from"`
	URL       string    `json:"url"`
	Clock     string    `json:"clock"`
	CreatedAt time.Time `json:"created"`
}

func (p *Program) listWorlds(ctx context.Context) error {
	client, err := p.dialLab()
	if err != nil {
		return err
	}
	answer, err := client.call(ctx, http.MethodGet, "/worlds", nil)
	if err != nil {
		return err
	}
	if p.json {
		return p.print(answer)
	}
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
		return fmt.Errorf("the lab's list of worlds: %w", err)
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
	text, err := json.Marshal(map[string]any{"worlds": rows})
	if err != nil {
		return err
	}
	return p.print(text)
}
